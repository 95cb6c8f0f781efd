/** Options that commands of a service share, and whether a value follows. */
const SHARED: ReadonlyMap<string, boolean> = new Map([
  ['--json', false],
  ['--service', true],
  ['--no-wait', false],
]);

/**
 * The words of a command line with the options after the command that a person wrote before it: `gleaner --json parsers
 * list` is `gleaner parsers list --json`.
 */
export function putCommandFirst(words: readonly string[]): string[] {
  let count = 0;
  for (let word = words[0]; word !== undefined; word = words[count]) {
    const takesNext = SHARED.get(word) ?? SHARED.get(word.replace(/=.*$/s, ''));
    if (takesNext === undefined) break;
    count += takesNext && !word.includes('=') ? 2 : 1;
  }
  const [options, rest] = [words.slice(0, count), words.slice(count)];
  if (rest.length === 0) return [...words];
  const end = rest.indexOf('--');
  return end === -1 ? [...rest, ...options] : [...rest.slice(0, end), ...options, ...rest.slice(end)];
}
