/** Whether the text contains the pieces in this order, the first at its start and the last at its end. */
function matchesPieces(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/**
 * A test of texts against a pattern in which `*` stands for any characters, also none, and nothing else is special.
 * It reads a text once from start to end.
 */
export function compileWildcards(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('*');
  return (text) => matchesPieces(text, pieces);
}
