import { gzipSync } from 'node:zlib';
import type { BatchRecord, CronRecord, FiringRecord } from '@gleaner/contracts';
import { forgetEntries } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import { createRandom } from '@gleaner/core/testing';
import { sendPage, type RequestHandler } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestWorker } from '../chunks/testing/chunk-harness.ts';
import { openCrawlWorld, type CrawlWorld } from './testing/crawl-world.ts';

const SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

interface Entry {
  path: string;
  modified?: string;
}

/** What the site serves at each path; others are pages. */
const files = new Map<string, string | Buffer | number>();
/** Paths of pages that were fetched. */
let fetched: string[] = [];

function urlset(...entries: (Entry | string)[]): string {
  const urls = entries.map((entry) => {
    const { path, modified } = typeof entry === 'string' ? { path: entry } : entry;
    const loc = path.startsWith('/') ? `${world.site.origin}${path}` : path;
    return `<url><loc>${loc}</loc>${modified === undefined ? '' : `<lastmod>${modified}</lastmod>`}</url>`;
  });
  return `<urlset ${SPACE}>${urls.join('')}</urlset>`;
}

function index(...paths: string[]): string {
  const maps = paths.map((path) => `<sitemap><loc>${world.site.origin}${path}</loc></sitemap>`);
  return `<sitemapindex ${SPACE}>${maps.join('')}</sitemapindex>`;
}

const answer: RequestHandler = ({ url }, response) => {
  const file = files.get(url);
  if (file === undefined) {
    fetched.push(url);
    sendPage(response, `<h1>${url}</h1>`);
  } else if (typeof file === 'number') response.writeHead(file).end();
  else response.writeHead(200, { 'content-type': 'application/xml' }).end(file);
};

let world: CrawlWorld;
let workers: TestWorker[];
let parserId: string;
let databaseId: string;
beforeAll(async () => {
  world = await openCrawlWorld(answer);
  workers = [await world.startWorker(), await world.startWorker(4)];
  const schema = { fields: { url: { page: 'url' }, title: { css: 'h1' } } };
  parserId = ((await world.call('createParser', { body: { name: 'pages', schema } })) as { id: string }).id;
  databaseId = (
    (await world.call('createDatabase', { body: { kind: 'managed', name: 'rows' } })) as { id: string }
  ).id;
});
beforeEach(() => {
  files.clear();
  fetched = [];
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

function at(path: string): string {
  return `${world.site.origin}${path}`;
}

async function startBatch(body: object): Promise<BatchRecord> {
  const target = { type: 'parser', parserId };
  return (await world.call('createBatch', { body: { target, ...body } })) as BatchRecord;
}

/** A batch from a sitemap, when it has ended. */
async function runBatch(path: string, more: object = {}): Promise<BatchRecord> {
  const { id } = await startBatch({ source: { sitemap: at(path) }, ...more });
  return world.awaitBatch(id);
}

async function expectNoViolations(): Promise<void> {
  expect(await findViolations(world.services.db)).toEqual([]);
  expect(world.faults).toEqual([]);
}

it('runs a batch over an index of sitemaps, each address once, as any batch', async () => {
  files.set('/index.xml', index('/a.xml.gz', '/b.xml', '/index.xml'));
  files.set('/a.xml.gz', gzipSync(urlset('/p/1', '/p/2', 'ftp://x.test/y', '/p/1')));
  files.set('/b.xml', urlset('/p/2', '/p/3'));
  const started = await startBatch({ source: { sitemap: at('/index.xml') }, name: 'all' });
  expect(started).toMatchObject({
    status: 'pending',
    name: 'all',
    counts: { total: 0 },
    source: { sitemap: at('/index.xml'), status: 'reading', files: null, error: null },
    since: null,
  });
  const ended = await world.awaitBatch(started.id);
  expect(ended).toMatchObject({
    status: 'succeeded',
    counts: { total: 3, succeeded: 3 },
    credits: { used: 3, reserved: 0 },
    source: { status: 'read', files: 3, entries: 4, left_out: 1, error: null },
  });
  expect(fetched.toSorted()).toEqual(['/p/1', '/p/2', '/p/3']);
  const { results } = (await world.call('getBatchResults', { params: { id: started.id } })) as {
    results: { data: { title: string } }[];
  };
  expect(results.map(({ data }) => data.title).toSorted()).toEqual(['/p/1', '/p/2', '/p/3']);
  const { batches } = (await world.call('listBatches', {})) as { batches: BatchRecord[] };
  expect(batches).toHaveLength(1);
  expect(await world.call('listWorkflowRuns', {})).toMatchObject({ workflow_runs: [] });
  // What is read of a record can be sent back.
  const { source, since } = ended;
  const again = await startBatch({ source, since, name: 'again' });
  expect(await world.awaitBatch(again.id)).toMatchObject({ counts: { total: 3, succeeded: 3 } });
  await expectNoViolations();
});

it('reads feeds, and leaves out what is dated at or before a time', async () => {
  const item = (path: string, date: string): string =>
    `<item><link>${at(path)}</link>${date === '' ? '' : `<pubDate>${date}</pubDate>`}</item>`;
  const items = [
    item('/n/1', 'Mon, 02 Mar 2026 10:00:00 GMT'),
    item('/n/2', 'Tue, 03 Mar 2026 10:00:00 GMT'),
    item('/n/3', ''),
  ];
  files.set('/feed', `<rss version="2.0"><channel>${items.join('')}</channel></rss>`);
  const { id } = await startBatch({ source: { feed: at('/feed') }, since: '2026-03-02T10:00:00.000Z' });
  const ended = await world.awaitBatch(id);
  expect(ended).toMatchObject({ status: 'succeeded', counts: { total: 2 }, source: { entries: 3 } });
  expect(fetched.toSorted()).toEqual(['/n/2', '/n/3']);
  files.set('/none.xml', urlset());
  expect(await runBatch('/none.xml')).toMatchObject({
    status: 'succeeded',
    counts: { total: 0 },
    source: { status: 'read', entries: 0 },
  });
  await expectNoViolations();
});

it.each([
  [
    'a file that is missing',
    { '/index.xml': 404 },
    /index\.xml can't be read: the site answered with status 404/,
  ],
  ['no sitemap', { '/index.xml': '<html>hello</html>' }, /the sitemap is an HTML page/],
  [
    'one that ends in the middle',
    { '/index.xml': `<urlset ${SPACE}><url><loc>http://x.test/1</loc></url><url>` },
    /ends in the middle/,
  ],
])('fails as a whole with %s', async (_, wrong, reason) => {
  for (const [path, file] of Object.entries(wrong)) files.set(path, file);
  const ended = await runBatch('/index.xml');
  expect(ended).toMatchObject({
    status: 'failed',
    counts: { total: 0 },
    credits: { used: 0, reserved: 0 },
    source: { status: 'failed' },
  });
  expect(ended.source?.error).toMatch(reason);
  expect(fetched).toEqual([]);
  await expectNoViolations();
});

it('fetches nothing when a part of it fails, and reads it again in a retry', async () => {
  files.set('/index.xml', index('/a.xml', '/gone.xml'));
  files.set('/a.xml', urlset('/p/1', '/p/2'));
  files.set('/gone.xml', 404);
  const failed = await runBatch('/index.xml');
  expect(failed).toMatchObject({ status: 'failed', counts: { total: 0 } });
  expect(fetched).toEqual([]);
  await expectNoViolations();
  files.set('/gone.xml', urlset('/p/2', '/p/3'));
  await world.call('retryBatch', { params: { id: failed.id }, body: {} });
  const ended = await world.awaitBatch(failed.id);
  expect(ended).toMatchObject({
    status: 'succeeded',
    counts: { total: 3, succeeded: 3 },
    source: { status: 'read', files: 3, error: null },
  });
  expect(fetched.toSorted()).toEqual(['/p/1', '/p/2', '/p/3']);
  await expectNoViolations();
});

it('keeps the limits of the account, and max_credits', async () => {
  const { sql } = world.services.db;
  files.set('/many.xml', urlset('/p/1', '/p/2', '/p/3', '/p/4'));
  const before =
    await sql`SELECT pending_limit, balance, granted FROM gleaner.accounts WHERE id = ${world.accountId}`;
  const [{ pending_limit: limit }] = before as unknown as [{ pending_limit: number }];
  await sql`UPDATE gleaner.accounts SET pending_limit = 3 WHERE id = ${world.accountId}`;
  expect((await runBatch('/many.xml')).source?.error).toMatch(/^pending limit reached: .* limit is 3$/);
  await sql`UPDATE gleaner.accounts SET pending_limit = ${limit} WHERE id = ${world.accountId}`;
  expect(fetched).toEqual([]);
  expect(await runBatch('/many.xml', { max_credits: 2 })).toMatchObject({
    counts: { total: 4, succeeded: 2, cancelled: 2 },
    credits: { used: 2 },
    max_credits: 2,
  });
  await expectNoViolations();
});

it('cancels a batch that waits for its source', async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  const started = await startBatch({ source: { sitemap: at('/slow.xml') } });
  const cancelled = await world.call('cancelBatch', { params: { id: started.id } });
  expect(cancelled).toMatchObject({ status: 'cancelled', source: { status: 'cancelled' } });
  await expectNoViolations();
  workers = [await world.startWorker()];
});

it('refuses what has no sense', async () => {
  const source = { sitemap: at('/a.xml') };
  await expect(startBatch({ source, urls: [at('/')] })).rejects.toMatchObject({
    options: { field: 'source' },
  });
  await expect(startBatch({ source, dry_run: true })).rejects.toMatchObject({
    options: { field: 'dry_run' },
  });
  await expect(startBatch({ urls: [at('/')], since: '2026-03-02T10:00:00.000Z' })).rejects.toMatchObject({
    options: { field: 'since' },
  });
  await expect(startBatch({ source: { ...source, feed: at('/f') } })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

it('gives the first stage of a workflow its inputs', async () => {
  files.set('/a.xml', urlset('/p/1', '/p/2'));
  files.set('/none.xml', urlset());
  const stages = [
    { name: 'list', target: { type: 'parser', parserId } },
    { name: 'again', target: { type: 'parser', parserId }, from: { stage: 'list', path: '$.url' } },
  ];
  const workflow = (await world.call('createWorkflow', { body: { name: 'two', stages } })) as { id: string };
  const run = async (path: string) => {
    const body = { source: { sitemap: at(path) } };
    return world.awaitEnd((await world.start('createWorkflowRun', body, { id: workflow.id })).id);
  };
  expect(await run('/a.xml')).toMatchObject({
    status: 'succeeded',
    source: { status: 'read', files: 1, entries: 2 },
    counts: { total: 4, succeeded: 4 },
    credits: { used: 4, reserved: 0 },
    stages: [
      { name: 'list', counts: { total: 2 } },
      { name: 'again', counts: { total: 2 } },
    ],
  });
  expect(await run('/none.xml')).toMatchObject({ status: 'succeeded', counts: { total: 0 } });
  files.set('/gone.xml', 404);
  const failed = await run('/gone.xml');
  expect(failed).toMatchObject({ status: 'failed', source: { status: 'failed' }, counts: { total: 0 } });
  files.set('/gone.xml', urlset('/p/9'));
  await world.call('retryWorkflowRun', { params: { id: failed.id }, body: {} });
  expect(await world.awaitEnd(failed.id)).toMatchObject({ status: 'succeeded', counts: { total: 2 } });
  await expectNoViolations();
});

async function createCron(more: object): Promise<CronRecord> {
  return (await world.call('createCron', {
    body: {
      name: 'new pages',
      description: '',
      schedule: '0 0 1 1 *',
      target: { type: 'parser', parserId },
      sink: { mode: 'database', database: databaseId, table: 'pages', key: ['url'] },
      source: { sitemap: at('/a.xml') },
      since: 'last_run',
      ...more,
    },
  })) as CronRecord;
}

/** Fires the cron now. @returns the paths that its run fetched */
async function fire(cron: CronRecord): Promise<{ batch: BatchRecord; paths: string[] }> {
  fetched = [];
  const firing = (await world.call('triggerCron', { params: { id: cron.id } })) as FiringRecord;
  const batch = await world.awaitBatch(firing.run_id ?? '');
  return { batch, paths: fetched.toSorted() };
}

it('takes what is new since the last run of a cron, and loses nothing when a source fails', async () => {
  const cron = await createCron({});
  expect(cron).toMatchObject({ source: { sitemap: at('/a.xml') }, since: 'last_run', url: null });
  files.set('/a.xml', urlset({ path: '/p/1', modified: '2026-03-01' }, '/p/2'));
  expect((await fire(cron)).paths).toEqual(['/p/1', '/p/2']);
  // Nothing new; then a later date, an older one, a new page with an old date, and a date that is now known.
  const nothing = await fire(cron);
  expect(nothing).toMatchObject({ paths: [], batch: { status: 'succeeded', counts: { total: 0 } } });
  files.set(
    '/a.xml',
    urlset(
      { path: '/p/1', modified: '2026-03-02' },
      '/p/2',
      { path: '/p/3', modified: '2020-01-01' },
      '/p/4',
    ),
  );
  const { sql } = world.services.db;
  const grown = files.get('/a.xml') ?? '';
  files.set('/a.xml', 503);
  const failed = await fire(cron);
  expect(failed).toMatchObject({ paths: [], batch: { status: 'failed' } });
  files.set('/a.xml', grown);
  expect((await fire(cron)).paths).toEqual(['/p/1', '/p/3', '/p/4']);
  files.set('/a.xml', urlset({ path: '/p/1', modified: '2026-03-01' }, '/p/2', '/p/4'));
  expect((await fire(cron)).paths).toEqual([]);
  await world.call('updateCron', { params: { id: cron.id }, body: { source: { sitemap: at('/a.xml') } } });
  expect((await fire(cron)).paths).toEqual(['/p/1', '/p/2', '/p/4']);
  await world.call('deleteCron', { params: { id: cron.id } });
  await forgetEntries(world.services.db);
  expect(await sql`SELECT count(*)::int FROM gleaner.source_marks`).toEqual([{ count: 0 }]);
  await expectNoViolations();
});

it('takes again what a run of a cron left out for lack of credits', async () => {
  const cron = await createCron({ max_credits: 2, name: 'few' });
  files.set('/a.xml', urlset('/q/1', '/q/2', '/q/3', '/q/4', '/q/5'));
  const all = [(await fire(cron)).paths, (await fire(cron)).paths, (await fire(cron)).paths];
  expect(all.map((paths) => paths.length)).toEqual([2, 2, 1]);
  expect(all.flat().toSorted()).toEqual(['/q/1', '/q/2', '/q/3', '/q/4', '/q/5']);
  await expectNoViolations();
});

const SEED = Number(process.env['GLEANER_SEED'] ?? Math.floor(Math.random() * 1_000_000_000));
const ROUNDS = Number(process.env['GLEANER_SOURCE_ROUNDS'] ?? 10);

/** The pages of a run that ended with success. */
async function succeededOf(id: string): Promise<string[]> {
  const { sql } = world.services.db;
  const rows = await sql<{ input: string }[]>`
    SELECT t.input FROM gleaner.runs r JOIN gleaner.tasks t ON t.run_no = r.no
    JOIN gleaner.results o ON o.run_no = t.run_no AND o.seq = t.seq WHERE r.id = ${id} AND o.ok`;
  return rows.map(({ input }) => input.replace(world.site.origin, ''));
}

/** Changes a source at random: new pages with old dates or none, later and earlier dates, pages that leave. */
function changeAtRandom(pages: Map<string, number | undefined>, random: () => number, round: number): void {
  for (let place = 0; place < 4; place += 1) {
    const day = random() < 0.3 ? undefined : Math.floor(random() * 28) + 1;
    pages.set(`/w/${round}-${place}`, day);
  }
  for (const [path, day] of pages) {
    const chance = random();
    if (chance < 0.1) pages.delete(path);
    else if (chance < 0.3 && day !== undefined)
      pages.set(path, Math.max(1, Math.min(28, day + Math.floor(random() * 9) - 3)));
  }
}

it('takes each entry once, and loses none, whatever workers, sources and people do', async () => {
  console.log(`seed of the random sources: GLEANER_SEED=${SEED}`);
  const random = createRandom(SEED);
  const cron = await createCron({ name: 'random', overlap: 'allow' });
  const pages = new Map<string, number | undefined>();
  /** The day with which each page was taken; 0: without one. */
  const taken = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    changeAtRandom(pages, random, round);
    const entries = [...pages].map(([path, day]) =>
      day === undefined ? path : { path, modified: `2026-03-${String(day).padStart(2, '0')}` },
    );
    const half = Math.floor(entries.length / 2);
    files.set('/b.xml', urlset(...entries.slice(0, half)));
    files.set('/c.xml', random() < 0.3 ? 404 : urlset(...entries.slice(half)));
    files.set('/a.xml', index('/b.xml', '/c.xml'));
    const due = [...pages].flatMap(([path, day]) => {
      const known = taken.get(path);
      return known === undefined || (day ?? 0) > known ? [path] : [];
    });
    const firing = (await world.call('triggerCron', { params: { id: cron.id } })) as FiringRecord;
    const id = firing.run_id ?? '';
    const chance = random();
    if (chance < 0.3) {
      const [worker] = workers.splice(0, 1, await world.startWorker(4));
      await worker?.stop(0);
    } else if (chance < 0.6) await world.call('cancelBatch', { params: { id } }).catch(() => undefined);
    const { status, counts } = await world.awaitBatch(id);
    const done = await succeededOf(id);
    expect({ round, status, extra: done.filter((path) => !due.includes(path)) }).toEqual({
      round,
      status,
      extra: [],
    });
    if (status === 'succeeded' && counts.cancelled === 0)
      expect({ round, done: done.toSorted() }).toEqual({ round, done: due.toSorted() });
    for (const path of done) taken.set(path, pages.get(path) ?? 0);
  }
  await expectNoViolations();
});
