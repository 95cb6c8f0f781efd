import fc from 'fast-check';
import { expect, it } from 'vitest';
import { interleaveHosts } from './chunk-tasks.ts';

it('visits every input once, and each host in its own order', () => {
  const inputs = fc.array(fc.tuple(fc.constantFrom('a.test', 'b.test', 'c.test:81'), fc.nat(1_000)));
  fc.assert(
    fc.property(inputs, (pages) => {
      const urls = pages.map(([host, page]) => `http://${host}/${page}`);
      const order = interleaveHosts(urls);
      expect([...order].sort((a, b) => a - b)).toEqual(urls.map((_, place) => place));
      for (const host of ['a.test', 'b.test', 'c.test:81']) {
        const places = order.filter((place) => pages[place]?.[0] === host);
        expect(places).toEqual([...places].sort((a, b) => a - b));
      }
    }),
  );
});

it('alternates between hosts', () => {
  expect(interleaveHosts(['http://a/1', 'http://a/2', 'http://a/3', 'http://b/1'])).toEqual([0, 3, 1, 2]);
});
