import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['./test/global-setup.ts'],
    provide: { isLong: false },
    // Long enough for property tests on a machine that others use.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Most tests of processes wait, for leases and due times, so two for each core keep it busy.
    maxWorkers: Math.min(8, availableParallelism() * 2),
    sequence: { sequencer: LongestFirst },
    // A worker keeps the modules that it has loaded: importing them for each file took longer than the tests.
    isolate: false,
    pool: 'forks',
  },
});
