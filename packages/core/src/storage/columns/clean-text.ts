/** Removes characters that Postgres can't store: NUL is dropped, and a lone surrogate becomes U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [cleanText(name), cleanValue(inner)]),
    );
  return value;
}

/** JSON text that jsonb accepts. Only texts with a suspicious escape are cleaned; JSON.stringify escapes only lone surrogates. */
export function toCleanJson(value: unknown): string {
  const text = JSON.stringify(value);
  return /\\u(?:0000|d[89a-f])/i.test(text) ? JSON.stringify(cleanValue(value)) : text;
}
