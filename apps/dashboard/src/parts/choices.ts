/** What the values of a choice are called, in their order. */
export type ChoiceWords<V extends string> = Readonly<Record<V, string | { label: string }>>;

/** The options of a choice, which may lack some values. */
export function choicesOf<V extends string>(words: Partial<ChoiceWords<V>>): { value: V; label: string }[] {
  return Object.entries<string | { label: string }>(words as ChoiceWords<V>).map(([value, word]) => ({
    value: value as V,
    label: typeof word === 'string' ? word : word.label,
  }));
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
