import { expect, it } from 'vitest';
import { readsWellSince } from './reads-well.ts';

type Host = Parameters<typeof readsWellSince>[0][number];

it('knows whether a parser reads a host well again, with all versions that read it since', () => {
  const entry = (change: Partial<Host> = {}) =>
    ({
      host: 'shop.test',
      state: 'healthy',
      is_current: true,
      updated_at: '2026-03-02T10:00:00Z',
      ...change,
    }) as Host;
  const row = { url: 'https://shop.test/p/1', at: '2026-03-02T09:00:00Z' };
  expect(readsWellSince([entry()], row)).toBe(true);
  expect(readsWellSince([entry({ state: 'degraded' })], row)).toBe(false);
  expect(readsWellSince([entry({ host: 'other.test' })], row)).toBe(false);
  expect(readsWellSince([entry({ host: '*' })], row)).toBe(true);
  // Nothing was read since, or the version that read the row was repaired.
  expect(readsWellSince([entry({ updated_at: '2026-03-02T08:00:00Z' })], row)).toBe(false);
  expect(readsWellSince([entry(), entry({ is_current: false, state: 'broken' })], row)).toBe(false);
  const earlier = { is_current: false, state: 'broken', updated_at: '2026-03-01T10:00:00Z' } as const;
  expect(readsWellSince([entry(), entry(earlier)], row)).toBe(true);
});
