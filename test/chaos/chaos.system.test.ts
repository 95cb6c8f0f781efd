import { bothBackends } from '@gleaner/db/testing';
import { expect, inject, test } from 'vitest';
import { runChaos } from './run-chaos.ts';

/** The bounded version; `npm run chaos` runs many rounds with all faults. */
const PLANS = {
  redis: ['kill -9 worker 1', 'FLUSHALL'],
  postgres: ['restart Postgres'],
};

bothBackends('chaos', ({ kind }) => {
  test('no work is lost, duplicated or overcharged when processes die under load', async () => {
    const lines: string[] = [];
    const plan = PLANS[kind];
    const result = await runChaos({
      backend: kind,
      rounds: plan.length,
      seed: 42,
      size: 60,
      mix: ['crawls'],
      stopMs: 8_000,
      awayMs: 200,
      plan,
      // The promise is of an undisturbed machine: `npm run chaos` checks it.
      recoveryWithinMs: inject('isLong') ? 30_000 : Infinity,
      say: (line) => lines.push(line),
    });
    expect(result.violations, lines.join('\n')).toEqual([]);
    expect(result.served).toBeGreaterThan(plan.length * 400);
  });
});
