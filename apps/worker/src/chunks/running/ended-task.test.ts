import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backOffMs, canHeal, mayWait, planRetries } from './ended-task.ts';

it('backs off longer with every try, never beyond a minute and a half', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (tries, random) => {
        const delay = backOffMs(tries, random);
        expect(delay).toBeGreaterThanOrEqual(Math.min(1_000 * 2 ** tries, 60_000) / 2);
        expect(delay).toBeLessThanOrEqual(90_000);
      },
    ),
  );
});

it('retries every failed task exactly once, and not before the time that its target requested', () => {
  const failure = fc.record({
    seq: fc.nat(),
    error: fc.constant({
      code: 'fetch_failed' as const,
      detail: 'a.example asked for a pause',
    }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 600_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(failure, { selector: ({ seq }) => seq }), fc.nat(5), (failures, tries) => {
      const groups = planRetries(failures, tries, 0.5);
      expect(groups.flatMap(({ seqs }) => seqs).sort((a, b) => a - b)).toEqual(
        failures.map(({ seq }) => seq).sort((a, b) => a - b),
      );
      for (const { seqs, delayMs, waitsFor } of groups) {
        expect(waitsFor).toBe('a.example asked for a pause');
        for (const { seq, retryAfterMs } of failures)
          if (seqs.includes(seq)) expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 0);
      }
    }),
  );
});

it('prefers the error’s own retryable flag to the catalogue', () => {
  expect(canHeal({ code: 'fetch_failed' })).toBe(true);
  expect(canHeal({ code: 'fetch_failed', retryable: false })).toBe(false);
  expect(canHeal({ code: 'extraction_failed' })).toBe(false);
});

it('does not wait long for a busy host, and not at all in an old run', () => {
  const now = Date.now();
  const startedAgo = (ms: number): string => String((BigInt(now - ms) << 20n) + 5n);
  expect(mayWait(startedAgo(20 * 60_000), 60_000, now)).toBe(true);
  expect(mayWait(startedAgo(20 * 60_000), 601_000, now)).toBe(false);
  expect(mayWait(startedAgo(40 * 60_000), 60_000, now)).toBe(false);
});

it('pages that wait for the pace of their run wait together by host, until the first of them may come', () => {
  const waits = (seq: number, host: string, retryAfterMs: number) => ({
    seq,
    error: { code: 'fetch_failed' as const, detail: `hostConcurrency of ${host}` },
    retryAfterMs,
    isUncounted: true,
    joins: true,
  });
  const failures = [waits(1, 'a.example', 9_000), waits(2, 'b.example', 2_000), waits(3, 'a.example', 4_000)];
  expect(planRetries(failures, 0, 0.5)).toMatchObject([
    { seqs: [1, 3], delayMs: 4_000, waitsFor: 'hostConcurrency of a.example', joins: true },
    { seqs: [2], delayMs: 2_000, waitsFor: 'hostConcurrency of b.example', joins: true },
  ]);
});
