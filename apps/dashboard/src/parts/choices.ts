/** The options of a choice: each value of a table of texts, in its order. */
export function choicesOf<V extends string>(
  texts: Readonly<Record<V, string>>,
): { value: V; label: string }[] {
  return Object.entries<string>(texts).map(([value, label]) => ({ value: value as V, label }));
}
