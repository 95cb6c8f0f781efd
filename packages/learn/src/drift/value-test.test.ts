import { noteValues, type ValueNote } from '@gleaner/extractors';
import { describe, expect, it } from 'vitest';
import { addDelta, brokenFields, emptyStats, isCalm, stateOf } from './add-delta.ts';
import { toBaseline, type HealthStats } from './health-stats.ts';
import { judgePage, makeDeltas, type PageSeen } from './judge-page.ts';

type Data = Record<string, unknown>;

function pageOf(data: Data, stats: HealthStats): PageSeen {
  const reports = Object.keys(data).map((path) => ({ path, matched: true, value_count: 1, selector: path }));
  return {
    host: 'shop.example',
    url: 'https://shop.example/',
    seq: 0,
    fields: noteValues({ data, fields: reports }),
    error: undefined,
    baseline: toBaseline(stateOf(stats), stats.fields),
  };
}

/** Adds pages in flushes of `size`, as several workers would. */
function see(stats: HealthStats, pages: readonly Data[], size = 1): void {
  for (let start = 0; start < pages.length; start += size) {
    const seen = pages.slice(start, start + size).map((data) => pageOf(data, stats));
    for (const delta of makeDeltas('run', seen)) addDelta(stats, delta);
  }
}

function product(index: number): Data {
  const day = 1 + (index % 28);
  return {
    title: `Lamp ${'abcdefgh'.charAt(index % 8)}${'klmnopqr'.charAt((index * 3) % 7)}${index % 11 === 0 ? ' (new)' : ''} ${index}`,
    price: 20 + ((index * 37) % 480),
    added: `May ${day}, 2024`,
    available: index % 7 !== 0,
    tags: Array.from({ length: 5 + (index % 6) }, (_, tag) => `tag ${tag} ${index}`),
  };
}

function products(from: number, count: number, change: Data = {}): Data[] {
  return Array.from({ length: count }, (_, index) => ({ ...product(from + index), ...change }));
}

function learned(): HealthStats {
  const stats = emptyStats();
  see(stats, products(0, 200), 7);
  expect(stateOf(stats)).toBe('healthy');
  return stats;
}

describe('the test of values', () => {
  it.each([
    ['price', { price: 4.99 }],
    ['title', { title: 'Home of Things' }],
    ['added', { added: '2024-05-03' }],
    ['available', { available: false }],
    ['tags', { tags: ['one'] }],
  ])('raises an alarm within 20 pages when %s has other values on all pages', (path, change) => {
    for (const size of [1, 5, 20]) {
      const stats = learned();
      see(stats, products(200, 20, change), size);
      expect(brokenFields(stats)).toEqual([path]);
      expect(stateOf(stats)).toBe('degraded');
    }
  });

  it('is calm again when the values are as before', () => {
    const stats = learned();
    see(stats, products(200, 20, { price: 1.5 }));
    expect(brokenFields(stats)).toEqual(['price']);
    see(stats, products(220, 40));
    expect(stateOf(stats)).toBe('healthy');
    expect(isCalm(stats)).toBe(true);
  });

  it('raises none while prices rise slowly by a factor of 30', () => {
    const stats = learned();
    for (let index = 0; index < 6_000; index += 1) {
      const data = product(200 + index);
      see(stats, [{ ...data, price: Number(data['price']) * 30 ** (index / 6_000) }]);
      expect(stateOf(stats)).toBe('healthy');
    }
  });

  it('raises none for variants of an unusual product in a row', () => {
    const stats = learned();
    see(stats, products(200, 8, { price: 9_999, title: 'Lamp, very large' }));
    see(stats, products(208, 40));
    expect(stateOf(stats)).toBe('healthy');
  });

  it('makes the page of an unusual value suspect, but not its neighbours', () => {
    const stats = learned();
    const suspicion = (data: Data): string | undefined => judgePage(pageOf(data, stats)).suspicion;
    expect(suspicion(product(200))).toBeUndefined();
    expect(suspicion({ ...product(200), price: 0.01 })).toBe('unusual values of price');
    expect(suspicion({ ...product(200), added: '2024-05-03' })).toBe('unusual values of added');
    expect(suspicion({ ...product(200), title: 'Lamp zz 77' })).toBeUndefined();
  });

  it('keeps its statistics small, whatever the values are', () => {
    const stats = emptyStats();
    const odd = Array.from({ length: 3_000 }, (_, index) => ({
      code: index.toString(2).replaceAll('0', '-x').replaceAll('1', '+'),
      price: (index % 2 === 0 ? 1 : -1) * 10 ** (index % 40),
    }));
    see(stats, odd, 50);
    expect(JSON.stringify(stats).length).toBeLessThan(6_000);
  });

  it('notes nothing of what is no value', () => {
    const fields = ['none', 'empty', 'group'].map((path) => ({
      path,
      matched: true,
      value_count: 1,
      selector: path,
    }));
    const notes = noteValues({ data: { none: null, empty: [], group: { a: 1 } }, fields });
    expect(notes.map(({ note }): ValueNote | undefined => note)).toEqual([undefined, undefined, undefined]);
  });
});
