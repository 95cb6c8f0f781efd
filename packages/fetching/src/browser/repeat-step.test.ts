import { afterEach, expect, it, vi } from 'vitest';
import { repeatStep } from './repeat-step.ts';

afterEach(() => vi.useRealTimers());

/** How often a step is done when each round takes so long. */
async function countSteps({
  leftMs,
  roundMs,
  last = Infinity,
}: {
  leftMs: number;
  roundMs: number;
  last?: number;
}) {
  vi.useFakeTimers({ now: 0 });
  let steps = 0;
  let rounds = 0;
  const settle = async (): Promise<void> => {
    rounds += 1;
    vi.setSystemTime(Date.now() + roundMs);
  };
  await repeatStep({ deadlineAt: leftMs, settle }, async () => {
    steps += 1;
    return steps < last;
  });
  return { steps, rounds };
}

it('a step is repeated until nothing is left to do', async () => {
  expect(await countSteps({ leftMs: 60_000, roundMs: 500, last: 4 })).toEqual({ steps: 4, rounds: 4 });
});

it('at most a hundred times', async () => {
  expect((await countSteps({ leftMs: 600_000, roundMs: 500 })).steps).toBe(100);
});

it('and for four fifths of the time that is left, so that the page can still be read', async () => {
  expect((await countSteps({ leftMs: 10_000, roundMs: 1_000 })).steps).toBe(7);
});

it('fails when no time is left', async () => {
  await expect(countSteps({ leftMs: 0, roundMs: 1 })).rejects.toMatchObject({ code: 'fetch_timed_out' });
});
