/** The options of a choice: each value of a table of texts, in its order. */
export function choicesOf<V extends string>(
  texts: Readonly<Record<V, string>>,
): { value: V; label: string }[] {
  return Object.entries<string>(texts).map(([value, label]) => ({ value: value as V, label }));
}

interface Named {
  id: string;
  name: string | null;
}

/** The choices among things with names, and the present one, which may not be among those that were found. */
export function choicesFrom(
  found: readonly Named[] | undefined,
  chosen?: Named | null,
): { value: string; label: string }[] {
  const all = found ?? [];
  const isFound = !chosen || all.some(({ id }) => id === chosen.id);
  return [...all, ...(isFound ? [] : [chosen])].map(({ id, name }) => ({ value: id, label: name ?? id }));
}
