import { gzipSync } from 'node:zlib';
import type { CrawlUrl } from '@gleaner/contracts';
import { findViolations } from '@gleaner/core/find-violations';
import { sendPage, type RequestHandler } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';

function sitemap(...paths: string[]): string {
  const entries = paths.map((path) => `<url><loc>${path}</loc><lastmod>2026-01-02T03:04:05Z</lastmod></url>`);
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
}

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><item><link>/news/1</link></item></channel></rss>`;

const answer: RequestHandler = ({ url, headers }, response) => {
  const origin = `http://${headers.host}`;
  const send = (type: string, body: string | Buffer): void => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
  if (url === '/robots.txt')
    send('text/plain', `Sitemap: ${origin}/index.xml\nSitemap: ${origin}/broken.xml\n`);
  else if (url === '/index.xml') {
    send(
      'application/xml',
      `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${origin}/a.xml.gz</loc></sitemap></sitemapindex>`,
    );
  } else if (url === '/a.xml.gz') {
    const paths = Array.from({ length: 30 }, (_, id) => `${origin}/p/${id}`);
    send('application/gzip', gzipSync(sitemap(...paths, 'https://elsewhere.test/x')));
  } else if (url === '/broken.xml') send('application/xml', '<html>none</html>');
  else if (url === '/feed') send('application/rss+xml', FEED.replace('/news', `${origin}/news`));
  else sendPage(response, `<h1>${url}</h1><a href="/linked">x</a><a href="/p/0">x</a>`);
};

let world: CrawlWorld;
let workers: TestWorker[];
beforeAll(async () => {
  world = await openCrawlWorld(answer);
  workers = [await world.startWorker(), await world.startWorker(4)];
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

function pathsOf(urls: readonly CrawlUrl[]): string[] {
  return urls.map(({ url }) => url.replace(world.site.origin, ''));
}

it('maps a site by its sitemaps and feeds alone, for nothing', async () => {
  const { origin } = world.site;
  const started = await world.start('createMap', {
    start: [origin],
    crawl: { sources: { links: false, feeds: [`${origin}/feed`] }, exclude: ['/p/1*'] },
  });
  const ended = await world.awaitEnd(started.id);
  expect(ended).toMatchObject({
    kind: 'map',
    status: 'succeeded',
    credits: { used: 0, reserved: 0 },
    counts: { total: 0 },
    stages: [{ crawl: { sources: { total: 5, succeeded: 4, failed: 1 } } }],
  });
  const urls = await world.urls(started.id);
  expect(urls).toHaveLength(33);
  expect(urls[0]).toMatchObject({ url: `${origin}/`, found: 'start', outcome: 'over_limit' });
  const first = urls.find(({ url }) => url === `${origin}/p/0`);
  expect(first).toMatchObject({
    depth: 1,
    found: 'sitemap',
    found_on: `${origin}/a.xml.gz`,
    outcome: 'over_limit',
    last_modified: '2026-01-02T03:04:05.000Z',
  });
  expect(urls.filter(({ outcome }) => outcome === 'excluded')).toHaveLength(11);
  expect(urls.find(({ found }) => found === 'feed')).toMatchObject({ url: `${origin}/news/1` });
  expect(urls.find(({ outcome }) => outcome === 'out_of_scope')?.url).toBe('https://elsewhere.test/x');
  const failures = await world.call('getWorkflowRunFailures', { params: { id: started.id } });
  expect(failures).toMatchObject({ failures: [{ detail: expect.stringContaining('sitemap') }] });
});

it('takes entries of sitemaps before links, and the same pages every time under a limit', async () => {
  const { origin } = world.site;
  const sets: string[][] = [];
  for (let round = 0; round < 3; round += 1) {
    const started = await world.start('createCrawl', { start: [origin], limits: { pages: 12 } });
    const ended = await world.awaitEnd(started.id);
    expect(ended).toMatchObject({ status: 'succeeded', counts: { total: 12, succeeded: 12 } });
    const urls = await world.urls(started.id);
    sets.push(pathsOf(urls.filter(({ outcome }) => outcome === 'fetched')));
  }
  expect(sets[0]).toEqual(['/', ...Array.from({ length: 11 }, (_, id) => `/p/${id}`)]);
  expect(sets[1]).toEqual(sets[0]);
  expect(sets[2]).toEqual(sets[0]);
  expect(await findViolations(world.services.db)).toEqual([]);
  expect(world.faults).toEqual([]);
});
