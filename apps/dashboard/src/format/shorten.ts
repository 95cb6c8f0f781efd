/** `bat_…3hsn`: enough to distinguish identifiers. */
export function shortId(id: string): string {
  const [prefix, rest = ''] = id.split('_', 2);
  return rest.length <= 8 ? id : `${prefix}_…${rest.slice(-6)}`;
}

/** `shop.test/p/1`: an address without what all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
}

/** An error's text as the beginning of a sentence. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const MAX_CELL_CHARACTERS = 300;

function isPlainList(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
}

/** One value of a table cell in one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text =
    typeof value === 'string' ? value : isPlainList(value) ? value.join(', ') : JSON.stringify(value);
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}

/** A field of a result; undefined where the result is no object. */
export function memberOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
}
