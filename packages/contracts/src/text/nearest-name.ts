/** The edit distance between two words: letters to change, add, remove or swap with the next one. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[to.length] ?? 0;
}

/** The known name that is most similar to another, however far away; undefined when there are none. */
export function mostSimilarName(
  name: string,
  known: readonly string[],
): { candidate: string; away: number } | undefined {
  const lowered = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, away: distance(lowered, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.away - b.away);
  return ranked[0];
}

/** The known name that is most similar to a mistyped one; undefined when none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 40) return undefined;
  const best = mostSimilarName(name, known);
  const most = name.length <= 3 ? 1 : name.length <= 6 ? 2 : 3;
  return best !== undefined && best.away <= most ? best.candidate : undefined;
}
