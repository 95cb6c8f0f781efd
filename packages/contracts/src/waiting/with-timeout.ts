/**
 * Waits for work, but no longer than `ms`. The work continues afterwards; its late result or error is ignored.
 * @param late called when the time is over: gives the result instead, or throws
 */
export async function withTimeout<T, L>(work: PromiseLike<T>, ms: number, late: () => L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<'over'>((resolve) => {
    timer = setTimeout(resolve, ms, 'over');
  });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), over]);
    return first === 'over' ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
}
