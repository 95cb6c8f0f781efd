import { describe, expect, it } from 'vitest';
import { matchesUrlPattern, xhrPatterns } from './url-pattern.ts';

describe('matchesUrlPattern', () => {
  it.each([
    ['https://a.example/x', 'https://a.example/x', true],
    ['https://a.example/x', 'https://a.example/xy', false],
    ['*/api/items*', 'https://a.example/api/items?page=2', true],
    ['*/api/items*', 'https://a.example/api/item', false],
    ['*.json', 'https://a.example/x.json#top', true],
    ['/api/*', 'https://a.example/api/x?y=1', true],
    ['/api/*', 'https://a.example/v2/api/x', false],
    ['*a*b*', 'https://x.example/a', false],
    ['https://*/a*a', 'https://x/a', false],
    ['*', 'https://x.example/', true],
    ['/a.b', 'https://x.example/aXb', false],
  ])('%s and %s: %s', (pattern, address, fits) => {
    expect(matchesUrlPattern(pattern, address)).toBe(fits);
  });

  it('takes linear time in the length of the address', () => {
    expect(matchesUrlPattern(`${'*a'.repeat(400)}b`, 'a'.repeat(100_000))).toBe(false);
  });
});

describe('xhrPatterns', () => {
  it('returns the patterns of all sources, each once', () => {
    const xhr = (url: string): { xhr: { url: string; path: string } } => ({ xhr: { url, path: '$' } });
    expect(
      xhrPatterns({
        fields: {
          a: xhr('*/1'),
          b: { any: ['h1', xhr('*/2'), xhr('*/1')] },
          c: { css: 'p', fields: { d: xhr('*/3') } },
        },
      }),
    ).toEqual(['*/1', '*/2', '*/3']);
  });
});
