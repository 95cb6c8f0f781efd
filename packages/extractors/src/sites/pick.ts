/** The fields that an API's response has at some place, taken from a record with more of them; absent ones are null. */
export function pick<K extends string>(
  shape: Readonly<Record<K, unknown>>,
  record: Readonly<Partial<Record<NoInfer<K>, unknown>>>,
): Record<string, unknown> {
  return Object.fromEntries((Object.keys(shape) as K[]).map((key) => [key, record[key] ?? null]));
}
