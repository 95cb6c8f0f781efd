/** Whether a value is in a list of the vocabulary. */
export function isOneOf<V extends string>(values: readonly V[], value: unknown): value is V {
  return (values as readonly unknown[]).includes(value);
}
