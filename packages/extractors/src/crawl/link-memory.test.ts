import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rulesOf } from '../testing/crawl-rules.ts';
import { linkLine } from './link-line.ts';
import { createLinkMemory } from './link-memory.ts';

const RULES = rulesOf('https://shop.example/', { exclude: ['/cart*'] }, [{ match: '/item*' }]);

function pieces(...texts: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...texts), { maxLength: 6 }).map((parts) => parts.join(''));
}
const href = pieces('/', '//', '\\', '.', '..', '?', '#', '&', ' ', '\t', ':', '@', '%2F', 'a', 'item', 'cart', 'x=1', 'http', 'https:', 'shop.example', 'é'); // prettier-ignore
const base = fc
  .tuple(
    fc.constantFrom('https://shop.example', 'http://shop.example:81', 'HTTPS://other.example', 'ftp://x', ''),
    pieces('/', 'a', 'list.html', '?', '#', '=', '..', 'x', '\\', '%2e', '\t'),
  )
  .map(([host, path]) => (host === '' ? undefined : host + (/^[?#]/.test(path) ? path : `/${path}`)));

it('a link that was read before means what it would mean if it were read now', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(href, base), { minLength: 20, maxLength: 40 }), (links) => {
      const remembering = createLinkMemory(RULES);
      for (const [text, from] of [...links, ...links]) {
        // Each text in turn with the bases of all.
        for (const [, other] of [[text, from] as const, ...links.slice(0, 5)]) {
          const address = remembering.addressOf(text, other);
          expect(address).toBe(RULES.normalise(text, other));
          if (address !== null) expect(remembering.lineOf('l', address)).toBe(linkLine('l', address, RULES));
        }
      }
    }),
    { numRuns: 60 },
  );
});

it('forgets what it read when that takes much memory, and reads it again', () => {
  const { addressOf } = createLinkMemory(RULES);
  const long = (n: number): string => `/item?q=${'x'.repeat(1_900)}${n}`;
  for (const n of [...Array(2_000).keys(), 0]) {
    const address = addressOf(long(n), 'https://shop.example/');
    expect(address).toBe(`https://shop.example${long(n)}`);
  }
});
