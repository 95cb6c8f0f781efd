/** The longest time of one round; the next round continues. */
const ROUND_MS = 30_000;

/**
 * Repeats work that does a bounded part at once, until there is less than that left.
 * @param work returns how much it did
 * @returns how much was done
 */
export async function repeatWhileFull(atOnce: number, work: () => Promise<number>): Promise<number> {
  const until = performance.now() + ROUND_MS;
  let total = 0;
  for (;;) {
    const count = await work();
    total += count;
    if (count < atOnce || performance.now() > until) return total;
  }
}
