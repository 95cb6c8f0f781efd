import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { chosenTier } from './scripts/tests/tiers.ts';
import { LongestFirst } from './test/longest-first.ts';

const { include, exclude = [] } = chosenTier();
const isUnit = exclude.length > 0;

export default defineConfig({
  test: {
    include: [...include],
    exclude: ['**/node_modules/**', ...exclude],
    globalSetup: ['./test/global-setup.ts'],
    provide: { isLong: false },
    // Long enough for property tests on a machine that others use.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // Most tests of processes wait, for leases and due times, so two for each core keep it busy. Tests without services
    // don't wait, and turbo runs two packages at a time.
    maxWorkers: isUnit ? availableParallelism() : Math.min(8, availableParallelism() * 2),
    sequence: { sequencer: LongestFirst },
    // A worker keeps the modules that it has loaded: importing them for each file took longer than the tests.
    isolate: false,
    pool: 'forks',
  },
});
