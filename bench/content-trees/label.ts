function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Which words of `ours` are in the longest common subsequence with `theirs` (Hunt and Szymanski). */
function commonWords(ours: readonly string[], theirs: readonly string[]): boolean[] {
  const places = new Map<string, number[]>();
  for (const [index, word] of theirs.entries()) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [index]);
    else known.unshift(index);
  }
  interface Link {
    at: number;
    before: Link | undefined;
  }
  const ends: number[] = [];
  const links: (Link | undefined)[] = [];
  for (const [at, word] of ours.entries()) {
    for (const place of places.get(word) ?? []) {
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] ?? 0) < place) low = middle + 1;
        else high = middle;
      }
      ends[low] = place;
      links[low] = { at, before: low === 0 ? undefined : links[low - 1] };
    }
  }
  const common = ours.map(() => false);
  for (let link = links.at(-1); link !== undefined; link = link.before) common[link.at] = true;
  return common;
}

const PHRASE = 4;

/** The share of each text's words that the truth has: in its order, or as part of a phrase anywhere. */
export function labelsOf(texts: readonly string[], truth: string): { label: number; words: number }[] {
  const theirs = wordsOf(truth);
  const phrases = new Set(theirs.map((_, index) => theirs.slice(index, index + PHRASE).join(' ')));
  const ours = texts.map(wordsOf);
  const common = commonWords(ours.flat(), theirs);
  let at = 0;
  return ours.map((words) => {
    const inOrder = common.slice(at, at + words.length).filter(Boolean).length;
    at += words.length;
    const inPhrase = words.map(() => false);
    for (let index = 0; index + PHRASE <= words.length; index += 1) {
      if (phrases.has(words.slice(index, index + PHRASE).join(' ')))
        inPhrase.fill(true, index, index + PHRASE);
    }
    const found = Math.max(inOrder, inPhrase.filter(Boolean).length);
    return { label: words.length === 0 ? 0 : found / words.length, words: words.length };
  });
}
