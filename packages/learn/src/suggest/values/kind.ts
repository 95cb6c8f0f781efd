import { escapePattern } from '../page/text.ts';

/** Kinds of values, as patterns for sources that may find another value: positions, and containers of several texts. */

/** A value of the kind: an address, an amount of money, a number with its unit, or words. */
export interface ValueKind {
  /** Matches a whole value, in the syntax that RE2, XPath and JavaScript share. */
  readonly pattern: string;
  /** Whether few other texts match, so that the pattern can choose among texts. */
  readonly isTelling: boolean;
  /** The most characters. */
  readonly most: number;
}

const ADDRESS = /^(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/?#]\S*)?$/i;
const ADDRESS_PATTERN = '(?:https?://)?[\\w-]+(?:\\.[\\w-]+)*\\.[A-Za-z]{2,}(?:[/?#]\\S*)?';

/** Words without numbers. Names may have a number or a year: “Ocean's Eleven (2001)”. */
const WORDS_PATTERN = '[^\\d$€£¥₹]\\D*(?:\\d\\D*){0,4}';

const MOST_SHAPES = 3;

/** A number with the same marks and the same short unit: `6-5`, `205 lbs.`, `$1,299`, `June 1, 2010`. */
function numericShape(text: string): string {
  const currency = /^[$€£¥₹]/.exec(text)?.[0];
  if (currency !== undefined) return `${escapePattern(currency)}\\s*\\d.{0,40}`;
  return (text.match(/\d[\d.,]*\d|\d|\p{L}+|\s+|[^\d\p{L}\s]/gu) ?? [])
    .map((run) => {
      if (/^\d{6,}$/.test(run)) return `\\d{${run.length}}`;
      if (/^\d/.test(run)) return '\\d[\\d.,]*';
      if (/^\s/.test(run)) return '\\s*';
      if (!/^\p{L}/u.test(run)) return escapePattern(run);
      return run.length <= 4 && run === run.toLowerCase() ? escapePattern(run) : '\\p{L}+';
    })
    .join('');
}

/** The kind of all values; undefined for values without a common kind, such as an address with its number. */
export function kindOf(values: readonly string[]): ValueKind | undefined {
  if (values.length === 0) return undefined;
  // Words are longer than a name only in sentences.
  const most = Math.max(36, 4 * Math.max(...values.map(({ length }) => length)));
  if (values.every((value) => ADDRESS.test(value)))
    return { pattern: ADDRESS_PATTERN, isTelling: true, most };
  if (values.every((value) => !/[\d$€£¥₹]/.test(value) && /\p{L}/u.test(value)))
    return { pattern: WORDS_PATTERN, isTelling: false, most };
  if (values.every((value) => /^\d\S*\s+\p{L}\S*\s+\S/u.test(value) && value.length <= 80))
    return { pattern: '\\d\\S*\\s+\\S+\\s+\\S.*', isTelling: false, most };
  const isNumeric = values.every((value) => {
    const digits = value.replaceAll(/\D/g, '').length;
    return value.length <= 40 && digits > 0 && digits / value.replaceAll(/\s/g, '').length >= 0.3;
  });
  if (!isNumeric) return undefined;
  const shapes = [...new Set(values.map(numericShape))];
  if (shapes.length > MOST_SHAPES || shapes.some((shape) => shape.length > 120)) return undefined;
  return {
    pattern: shapes.length === 1 ? (shapes[0] ?? '') : `(?:${shapes.join('|')})`,
    isTelling: true,
    most,
  };
}
