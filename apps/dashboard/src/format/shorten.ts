/** `bat_…3hsn`: enough to distinguish identifiers. */
export function shortId(id: string): string {
  const [prefix, rest = ''] = id.split('_', 2);
  return rest.length <= 8 ? id : `${prefix}_…${rest.slice(-6)}`;
}

/** `shop.test/p/1`: an address without what all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
}

function isPlainList(value: unknown): value is (string | number)[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
}

/** One value of a table cell in one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.length > 300 ? `${value.slice(0, 300)}…` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = isPlainList(value) ? value.join(', ') : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
