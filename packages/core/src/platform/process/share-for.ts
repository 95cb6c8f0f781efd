/**
 * Reads at most once in so many milliseconds; calls between share what was read. A reading that failed is begun anew by the
 * next call.
 */
export function shareFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (last !== undefined && performance.now() - last.at < ms) return last.value;
    const begun = { at: performance.now(), value: read() };
    last = begun;
    begun.value.catch(() => {
      if (last === begun) last = undefined;
    });
    return begun.value;
  };
}
