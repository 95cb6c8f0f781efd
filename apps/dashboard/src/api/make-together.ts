/**
 * Makes several records that belong together. When a step is refused, what was made before it is deleted, the newest first.
 * @param make notes with `undo` how each record that it has made is deleted
 */
export async function makeTogether<T>(
  make: (undo: (step: () => Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  const steps: (() => Promise<unknown>)[] = [];
  try {
    return await make((step) => void steps.unshift(step));
  } catch (error) {
    for (const step of steps) await step().catch(() => undefined);
    throw error;
  }
}
