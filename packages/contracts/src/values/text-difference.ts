/** A line that only one of two texts has. */
export interface DifferentLine {
  side: 'before' | 'after';
  text: string;
}

/** Lines of each text that are compared; beyond them all lines count as different. */
const MOST_LINES = 500;

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** How many lines two lists have in common from each pair of places on. */
function commonFrom(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let a = before.length - 1; a >= 0; a -= 1)
    for (let b = after.length - 1; b >= 0; b -= 1) {
      const [row, next] = [common[a], common[a + 1]];
      if (row === undefined || next === undefined) continue;
      row[b] = before[a] === after[b] ? (next[b + 1] ?? 0) + 1 : Math.max(next[b] ?? 0, row[b + 1] ?? 0);
    }
  return common;
}

function compare(before: readonly string[], after: readonly string[]): DifferentLine[] {
  const told: DifferentLine[] = [];
  const tell = (side: DifferentLine['side'], text: string | undefined): void => {
    if (text !== undefined) told.push({ side, text });
  };
  const isSmall = before.length <= MOST_LINES && after.length <= MOST_LINES;
  const common = isSmall ? commonFrom(before, after) : undefined;
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length) {
    if (common && a < before.length && b < after.length && before[a] === after[b]) {
      a += 1;
      b += 1;
    } else if (
      a < before.length &&
      (b === after.length || !common || (common[a + 1]?.[b] ?? 0) >= (common[a]?.[b + 1] ?? 0))
    ) {
      tell('before', before[a]);
      a += 1;
    } else {
      tell('after', after[b]);
      b += 1;
    }
  }
  return told;
}

/** The lines in which two texts differ, in their order; blank lines and the space around lines don't count. */
export function textDifference(before: string, after: string): DifferentLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first += 1;
  let last = 0;
  while (
    last < old.length - first &&
    last < now.length - first &&
    old[old.length - 1 - last] === now[now.length - 1 - last]
  )
    last += 1;
  return compare(old.slice(first, old.length - last), now.slice(first, now.length - last));
}

/** Whether two values are texts of several lines, whose difference says more than both. */
export function areLongTexts(before: unknown, after: unknown): before is string {
  return typeof before === 'string' && typeof after === 'string' && `${before}${after}`.includes('\n');
}
