import { expect, it } from 'vitest';
import { DEFAULT_PRICES } from './pricing.ts';
import { nextWay, wayName, waysOf } from './ways.ts';

type Config = Parameters<typeof waysOf>[0];

function names(config: Config, tiers = ['highquality', 'premium']): string[] {
  return waysOf(config, DEFAULT_PRICES, (tier) => tiers.includes(tier)).map(
    (way) => `${wayName(way)} ${way.price}`,
  );
}

it.each<[Config, string[]]>([
  [{}, ['http 1']],
  [{ useBrowser: true, proxy: 'premium:us' }, ['browser:premium 25']],
  [{ escalate: 'browser' }, ['http 1', 'browser 5']],
  [{ escalate: 'browser', proxy: 'premium:us' }, ['http:premium 10', 'browser:premium 25']],
  [{ escalate: 'browser', useBrowser: true }, ['browser 5']],
  [{ escalate: 'proxy' }, ['http 1', 'http:highquality 10']],
  [{ escalate: 'proxy', useBrowser: true }, ['browser 5', 'browser:highquality 25']],
  [{ escalate: 'proxy', proxy: 'premium' }, ['http:premium 10']],
  [{ escalate: 'both' }, ['http 1', 'browser 5', 'http:highquality 10', 'browser:highquality 25']],
  [{ escalate: 'both', maxPrice: 10 }, ['http 1', 'browser 5', 'http:highquality 10']],
  [{ escalate: 'both', proxy: 'hardcore' }, ['browser:hardcore 80']],
])('%o is read by %o', (config, expected) => {
  expect(names(config)).toEqual(expected);
});

it('a tier without proxies is no way, and of equal prices the next one is', () => {
  expect(names({ escalate: 'both' }, ['premium'])).toEqual([
    'http 1',
    'browser 5',
    'http:premium 10',
    'browser:premium 25',
  ]);
  expect(names({ escalate: 'proxy' }, [])).toEqual(['http 1']);
});

it('a blocked page takes the next way, and one that scripts fill the next browser', () => {
  const ways = waysOf({ escalate: 'both' });
  expect([0, 1, 2, 3].map((at) => nextWay(ways, at, 'blocked'))).toEqual([1, 2, 3, undefined]);
  expect([0, 1, 2, 3].map((at) => nextWay(ways, at, 'scripted'))).toEqual([1, undefined, 3, undefined]);
  expect(nextWay(waysOf({ escalate: 'proxy' }), 0, 'scripted')).toBeUndefined();
});
