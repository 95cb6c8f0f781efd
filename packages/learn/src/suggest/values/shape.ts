import { escapePattern } from '../page/text.ts';

/** Shapes of values: patterns that guard a field. */

const RUN = /\d+|\p{L}+|\s+|[^\d\p{L}\s]+/gu;

/** Replaces each run of one kind of character by a pattern: `907/279-7311` → `\d{3}/\d{3}-\d{4}`. */
export function exactShape(text: string): string {
  return (text.match(RUN) ?? [])
    .map((run) =>
      /^\d/.test(run)
        ? `\\d{${run.length}}`
        : /^\p{L}/u.test(run)
          ? run.length <= 4
            ? escapePattern(run)
            : `\\pL+`
          : /^\s/.test(run)
            ? '\\s+'
            : escapePattern(run),
    )
    .join('');
}

/** Whether the shape of a text identifies it: a phone number, a price, a date, an ISBN. */
export function isTelling(text: string): boolean {
  if (text.length < 3 || text.length > 40) return false;
  const digits = text.replaceAll(/\D/g, '').length;
  const letters = (text.match(/\p{L}/gu) ?? []).length;
  if (/[$€£¥₹]/.test(text) && digits > 0) return letters <= 4;
  return digits >= 4 && digits / text.replaceAll(/\s/g, '').length >= 0.5;
}

function every(values: readonly string[], test: RegExp): boolean {
  return values.every((value) => test.test(value));
}

/** A pattern that values must match, wide enough for unseen values; undefined when they have nothing in common. */
export function guardOf(values: readonly string[]): string | undefined {
  if (values.length === 0) return undefined;
  if (every(values, /^https?:\/\//)) return '^https?://';
  if (every(values, /^[^\s@]+@[^\s@]+\.\w+$/)) return '@';
  const digits = Math.min(...values.map((value) => value.replaceAll(/\D/g, '').length));
  const share = Math.min(
    ...values.map(
      (value) => value.replaceAll(/\D/g, '').length / Math.max(1, value.replaceAll(/\s/g, '').length),
    ),
  );
  if (digits >= 7 && share >= 0.6) return '(?:\\d[\\s().,/:+-]*){6}';
  const longest = Math.max(...values.map(({ length }) => length));
  if (digits > 0 && share >= 0.45 && longest <= 40) return `^[^\\n]{0,60}\\d[^\\n]{0,60}$`;
  const most = Math.min(900, Math.max(120, 6 * longest));
  // Dashes and dots stand for a missing value.
  const hasWord = every(values, /[\p{L}\p{N}]/u);
  return hasWord ? `^(?s:.{0,${most}}[\\p{L}\\p{N}].{0,${most}})$` : `^(?s:.{1,${most}})$`;
}
