import { defineConfig } from 'vitest/config';

/** One worker per core: database tests each clone a template, so files run side by side. */
export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['./test/global-setup.ts'],
    // Long enough for property tests on a machine that others use.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    // A worker keeps the modules that it has loaded: importing them for each file took longer than the tests.
    isolate: false,
    pool: 'forks',
  },
});
