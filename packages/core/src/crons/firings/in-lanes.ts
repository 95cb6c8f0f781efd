/** The most items at once. */
const LANES = 2;
/** All of it should take no longer. */
const ENOUGH_MS = 600;
/** So many items show how long one takes; the first one prepares its connection. */
const SAMPLE = 3;

/**
 * Works on items one after another, and on two at once when one after another would take too long: the work of other
 * accounts shares Postgres with them.
 */
export async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const lanes: Promise<void>[] = [];
  const ends: number[] = [];
  const isTooSlow = (): boolean => {
    const [first, last] = [ends[0], ends[SAMPLE - 1]];
    return (
      first !== undefined && last !== undefined && ((last - first) / (SAMPLE - 1)) * items.length > ENOUGH_MS
    );
  };
  const run = async (): Promise<void> => {
    for (const item of waiting) {
      await work(item);
      ends.push(performance.now());
      if (ends.length === SAMPLE && isTooSlow()) while (lanes.length < LANES) begin();
    }
  };
  const begin = (): void => {
    const lane = run();
    // It is awaited later.
    lane.catch(() => undefined);
    lanes.push(lane);
  };
  begin();
  for (let lane = 0; lane < lanes.length; lane += 1) await lanes[lane];
}
