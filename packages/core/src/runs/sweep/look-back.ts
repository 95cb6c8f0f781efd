/** A round looks this far back for what is due, so that it does not read what a long transaction keeps. */
const WITHIN_SECONDS = 60;
/** After this time a round looks at everything: it may have become due while no scheduler ran. */
const ALL_EVERY_MS = 30_000;
export const ALL_SECONDS = 1e9;

/** Returns a function that says how many seconds a round looks back: the first one, and one each half minute, at all. */
export function createLookBack(): () => number {
  let allAt = -Infinity;
  return () => {
    if (performance.now() - allAt < ALL_EVERY_MS) return WITHIN_SECONDS;
    allAt = performance.now();
    return ALL_SECONDS;
  };
}
