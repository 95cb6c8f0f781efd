/** A word that a shell reads as one. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The command that a user pastes to continue after Ctrl-C.
 * @param options by their names: true for a switch, a text for a value; the others are left out
 */
export function comeBackCommand(
  words: readonly string[],
  options: Readonly<Record<string, string | boolean | undefined>>,
): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });
  return ['gleaner', ...words, ...given].map(quote).join(' ');
}
