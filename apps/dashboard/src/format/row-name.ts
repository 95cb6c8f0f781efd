type Row = Readonly<Record<string, unknown>>;

/** A short number of a text; other texts nearly always have another. */
function hashOf(text: string): string {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return (hash >>> 0).toString(36);
}

/** How an address names a row of a table: by the values of its key, or by all it has where the table has none. */
export function rowName(row: Row, key: readonly string[]): string {
  const [first, ...others] = key.map((name) => row[name]);
  if (first === undefined) return hashOf(JSON.stringify(row));
  const named = others.length === 0 ? first : [first, ...others];
  return typeof named === 'string' ? named : JSON.stringify(named);
}
