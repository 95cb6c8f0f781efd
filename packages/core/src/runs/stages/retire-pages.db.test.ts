import { createHash } from 'node:crypto';
import { toStorableJson } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, inject, it } from 'vitest';
import { createId } from '../../platform/ids.ts';
import { countRowsHandled } from '../../testing/count-rows-handled.ts';
import { countRowsRead } from '../../testing/count-rows-read.ts';
import { findViolations } from '../../testing/find-violations.ts';
import { sweepChunks } from '../../testing/sweep-chunks.ts';
import { takeWaiting } from '../../testing/take-waiting.ts';
import { untilSomebodyWaits } from '../../testing/until-somebody-waits.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import type { TakenChunk } from '../chunks/take-chunks.ts';
import type { FetchedTask } from '../tasks/fetched-task.ts';
import { createChunkWriter, type ChunkWriter } from '../chunks/write-chunks.ts';
import { nextRunNumber } from '../submission/create-run.ts';
import { numberWaiting } from '../sweep/number-waiting.ts';
import {
  createRandom,
  crawlInOrder,
  makeSite,
  type ModelLimits,
  type ModelLink,
  type ModelSite,
} from './testing/crawl-model.ts';

const { services, database, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

const SEED = Number(process.env['GLEANER_SEED'] ?? Math.floor(Math.random() * 1_000_000));
const ROUNDS = Number(process.env['GLEANER_CRAWL_ROUNDS'] ?? (inject('isLong') ? 12 : 4));
console.log(`seed of the random sites: GLEANER_SEED=${SEED}`);

/** Credits of the dearest page. */
const PRICE = 2;

function priceOf(url: string): number {
  return url.length % 3 === 0 ? 1 : PRICE;
}

interface Crawl {
  root: string;
  rootNo: string;
  pages: string;
  sources: string;
  route: string;
  accountId: string;
}

async function startCrawl(
  site: ModelSite,
  limits: ModelLimits,
  {
    maxCredits,
    hostLimit,
    credits = 1_000_000,
  }: { maxCredits?: number; hostLimit?: number; credits?: number } = {},
): Promise<Crawl> {
  const { accountId } = await createTestAccount(services, { credits, concurrency: 40 });
  const rootNo = await nextRunNumber(services.db);
  const [pages = '', sources = '', route = ''] = [1n, 2n, 3n].map((step) => String(BigInt(rootNo) + step));
  const root = {
    id: createId('workflowRun'),
    no: rootNo,
    name: 'model',
    kind: 'crawl',
    maxTasks: 1_000_000,
    maxCredits: maxCredits ?? null,
  };
  const stage = {
    mode: 'return',
    queue: batchQueue('http'),
    target: { type: 'parser', parserId: 'prs_test', version: 1 },
    config: {},
    sink: null,
    retries: 0,
    plan: {},
    maxTasks: null,
    takesOwn: false,
  };
  const crawl = {
    pageLimit: limits.pages,
    tries: limits.tries,
    maxEntries: limits.entries,
    depth: limits.depth,
    hostLimit: hostLimit ?? null,
    sourcesNo: site.sources.length > 0 ? sources : null,
    routeRuns: [null, route],
    entries: [
      ...site.sources.map((text) => ({
        kind: text.split(' ')[0],
        url: text.split(' ')[1],
        depth: -1,
        route: null,
      })),
      ...site.starts.map((url) => ({ url, depth: 0, route: null })),
    ],
  };
  const starts = site.starts.slice(0, limits.pages);
  await sql`
    SELECT outcome FROM ${sql(ENGINE)}.create_workflow_run(${accountId}, ${toStorableJson(root)}::text::jsonb, ${toStorableJson(
      [
        { ...stage, no: pages, name: 'site', price: PRICE, sources: [], role: 'pages', crawl },
        ...(site.sources.length > 0
          ? [{ ...stage, no: sources, name: 'site:sources', price: 0, sources: [], role: 'sources' }]
          : []),
        { ...stage, no: route, name: 'site:odd', price: 0, sources: [0], role: 'route' },
      ],
    )}::text::jsonb, NULL, ${starts.length}, ${starts.join('\n')})`;
  return { root: root.id, rootNo, pages, sources, route, accountId };
}

/** Pages with an odd number at the end have a route. */
function routeOf(url: string): string {
  return /[13579]$/.test(url) ? '01' : '--';
}

function toFetched(site: ModelSite, seq: number, input: string): { fails: boolean; found: FetchedTask } {
  const { fails, identity, verdict, links } = site.fetch(input);
  const lines = links.map(({ kind, verdict: judged, url }) => `${kind}${judged}${routeOf(url)}${url}`);
  const found = {
    seq,
    verdict,
    status: fails ? 500 : 200,
    ...(identity === input ? {} : { identity, route: routeOf(identity) === '01' ? 1 : -1 }),
    links: lines.join('\n'),
  };
  return { fails, found };
}

async function write(crawl: Crawl, site: ModelSite, writer: ChunkWriter, chunk: TakenChunk): Promise<void> {
  const end = { retries: [], left: [], busyMs: 1 };
  if (chunk.run === crawl.route) {
    const answers = chunk.seqs.map(() => '{}');
    await writer.write(chunk, { succeeded: chunk.seqs, answers, failed: [], errors: [] }, { end });
    return;
  }
  const all = chunk.seqs.map((seq, place) => {
    const input = chunk.inputs[place] ?? '';
    return { input, ...toFetched(site, seq, input) };
  });
  const [done, failed] = [all.filter(({ fails }) => !fails), all.filter(({ fails }) => fails)];
  await writer.write(
    chunk,
    {
      succeeded: done.map(({ found }) => found.seq),
      answers: done.map(() => '{}'),
      prices: chunk.run === crawl.pages ? done.map(({ input }) => priceOf(input)) : undefined,
      failed: failed.map(({ found }) => found.seq),
      errors: failed.map(() => ({ code: 'fetch_failed' as const })),
      fetched: all.map(({ found }) => found),
    },
    { end },
  );
}

async function stateOf({ rootNo }: Crawl): Promise<string> {
  const [row] = await sql<{ state: string }[]>`SELECT state FROM gleaner.runs WHERE no = ${rootNo}`;
  return row?.state ?? '';
}

async function retire({ rootNo }: Crawl): Promise<void> {
  await sql`SELECT is_more FROM ${sql(ENGINE)}.number_children(${rootNo})`;
  const [row] = await sql`
    SELECT c.ahead, (SELECT count(*)::int FROM gleaner.frontier f WHERE f.run_no = c.run_no AND f.depth >= 0
      AND f.outcome IS NULL AND f.seq IS NOT NULL AND (f.depth, f.number) <= (c.next_depth, c.next_number)) AS published
    FROM gleaner.crawls c WHERE c.root_no = ${rootNo}`;
  expect(row?.['ahead']).toBe(row?.['published']);
}

/** Runs a crawl in a random order, by workers of which some die with all that they hold. */
async function runCrawl(crawl: Crawl, site: ModelSite, seed: number): Promise<void> {
  const random = createRandom(seed);
  const writer = createChunkWriter(services, 'wrk_model');
  let held: TakenChunk[] = [];
  for (
    let round = 0;
    (await stateOf(crawl)) === 'running' || (await stateOf(crawl)) === 'pending';
    round += 1
  ) {
    if (round > 2_000) throw new Error('the crawl does not end');
    held.push(...(await takeWaiting(services, 'wrk_model', 1 + Math.floor(random() * 8))));
    if (random() < 0.05) {
      held = [];
      await sql`UPDATE gleaner.chunks SET lease_until = now() - interval '1 s', deaths = 0, starts = 0 WHERE state = 'running'`;
      await sweepChunks(services, '2999-01-01');
      continue;
    }
    const some = held.filter(() => random() < 0.4);
    held = held.filter((chunk) => !some.includes(chunk));
    for (const chunk of some) await write(crawl, site, writer, chunk).catch(() => undefined);
    if (random() < 0.7) await retire(crawl);
  }
}

async function retiredOf({ pages }: Crawl): Promise<{ url: string; outcome: string }[]> {
  return sql<{ url: string; outcome: string }[]>`
    SELECT url, outcome FROM gleaner.frontier WHERE run_no = ${pages} AND outcome IS NOT NULL AND outcome <> 'a'
      AND (number, depth) NOT IN (SELECT n.number, n.depth FROM gleaner.frontier n WHERE n.run_no = ${pages} AND n.outcome IN ('x', 'o') AND n.status IS NULL)
    ORDER BY depth, number`;
}

it(
  'retires the same pages in the same order as a crawl of one page after another',
  { timeout: 600_000 },
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const seed = SEED * 1_000 + round;
      const random = createRandom(seed + 7);
      const site = makeSite(seed);
      const pages = [3, 10, 30, 500][Math.floor(random() * 4)] ?? 10;
      const limits = {
        pages,
        tries: pages * 10,
        // Seldom so few that links are left out.
        entries: random() < 0.3 ? site.starts.length + Math.floor(random() * 12) : pages * 10,
        depth: 1 + Math.floor(random() * 5),
      };
      const { retired: expected, unfollowed } = crawlInOrder(site, limits);
      const fetched = expected.filter(({ url, outcome }) => outcome === 'f' && url.startsWith('http'));
      const price = fetched.reduce((sum, { url }) => sum + priceOf(url), 0);
      // Credits that are just enough: what is fetched ahead must not keep them from the page at the head.
      const credits = random() < 0.3 ? Math.max(price, site.starts.length * PRICE) + PRICE : 1_000_000;
      const crawl = await startCrawl(site, limits, { credits });
      await runCrawl(crawl, site, seed);
      expect({ seed, retired: await retiredOf(crawl) }).toEqual({ seed, retired: expected });
      const counted = await sql`SELECT unfollowed_pages FROM gleaner.crawls WHERE root_no = ${crawl.rootNo}`;
      expect({ seed, counted }).toEqual({ seed, counted: [{ unfollowed_pages: unfollowed }] });
      const [account] = await sql<
        { used: number }[]
      >`SELECT used::int FROM gleaner.accounts WHERE id = ${crawl.accountId}`;
      expect({ seed, used: account?.used }).toEqual({ seed, used: price });
      const routed = await sql<
        { input: string }[]
      >`SELECT input FROM gleaner.tasks WHERE run_no = ${crawl.route} ORDER BY seq`;
      const starts = new Set(site.starts);
      expect({ seed, routed: routed.map(({ input }) => input) }).toEqual({
        seed,
        // A start page has no route, unless another page is behind it.
        routed: fetched
          .map(({ url }) => ({ url, identity: site.fetch(url).identity }))
          .filter(({ url, identity }) => routeOf(identity) === '01' && !(starts.has(url) && identity === url))
          .map(({ identity }) => identity),
      });
      expect({ seed, violations: await findViolations(services.db) }).toEqual({ seed, violations: [] });
    }
  },
);

it('ends with what was retired when it is cancelled', async () => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const site = makeSite(seed);
    const crawl = await startCrawl(site, { pages: 500, tries: 5_000, entries: 5_000, depth: 5 });
    const writer = createChunkWriter(services, 'wrk_model');
    for (let round = 0; round < seed; round += 1) {
      for (const chunk of await takeWaiting(services, 'wrk_model', 4))
        await write(crawl, site, writer, chunk);
      if (round % 3 !== 2) await retire(crawl);
    }
    await sql`SELECT outcome FROM ${sql(ENGINE)}.cancel_run(${crawl.accountId}, ${crawl.root})`;
    await retire(crawl);
    expect(['cancelled', 'succeeded']).toContain(await stateOf(crawl));
    expect({ seed, violations: await findViolations(services.db) }).toEqual({ seed, violations: [] });
  }
});

it('tries failed pages again in their places', async () => {
  const down = new Set(['http://s.test/p/1', 'http://s.test/p/2', 'http://s.test/p/3']);
  for (let seed = 1; seed <= 5; seed += 1) {
    const site = makeSite(seed);
    const limits = { pages: 500, tries: 5_000, entries: 5_000, depth: 9 };
    const broken: ModelSite = {
      ...site,
      fetch: (url) => (down.has(url) ? { fails: true, identity: url, links: [] } : site.fetch(url)),
    };
    const crawl = await startCrawl(site, limits);
    await runCrawl(crawl, broken, seed);
    expect(await retiredOf(crawl)).toEqual(crawlInOrder(broken, limits).retired);
    const rows = await sql<{ outcome: string }[]>`
      SELECT outcome FROM ${sql(ENGINE)}.retry_workflow_run(${crawl.accountId}, ${crawl.root})`;
    await runCrawl(crawl, site, seed + 100);
    const has = async (outcome: string): Promise<string[]> =>
      (await retiredOf(crawl)).filter((one) => one.outcome === outcome).map(({ url }) => url);
    if (rows[0]?.outcome === 'retried')
      expect((await has('e')).filter((url) => down.has(url))).toEqual(
        crawlInOrder(site, limits)
          .retired.filter(({ url, outcome }) => outcome === 'e' && down.has(url))
          .map(({ url }) => url),
      );
    expect({ seed, violations: await findViolations(services.db) }).toEqual({ seed, violations: [] });
  }
});

it('waits for credits, and ends when its own limit on them is used up', async () => {
  const site = makeSite(5);
  const limits = { pages: 500, tries: 5_000, entries: 5_000, depth: 9 };
  const crawl = await startCrawl(site, limits, { maxCredits: 6 });
  await runCrawl(crawl, site, 3);
  const [account] = await sql<
    { used: number }[]
  >`SELECT used::int FROM gleaner.accounts WHERE id = ${crawl.accountId}`;
  // No page at the dearest price fits any more.
  expect([5, 6]).toContain(account?.used);
  expect(await findViolations(services.db)).toEqual([]);
});

it('goes on when its start pages alone have more hosts than it may have', async () => {
  const site = makeSite(5);
  const limits = { pages: 500, tries: 5_000, entries: 5_000, depth: 9 };
  const crawl = await startCrawl(site, limits, { hostLimit: 0 });
  await runCrawl(crawl, site, 3);
  expect(await retiredOf(crawl)).toEqual(crawlInOrder(site, limits).retired);
  expect(await findViolations(services.db)).toEqual([]);
});

/** A tree of pages behind a chain of them, so that many pages wait to be retired while the chain is read. */
function makeTree(size: number): ModelSite {
  const url = (id: number): string => `http://tree.test/${id}`;
  return {
    starts: [url(0), 'http://tree.test/chain/0'],
    sources: [],
    fetch: (at) => {
      const id = Number(/\d+$/.exec(at)?.[0]);
      const isChain = at.includes('/chain/');
      const next = `http://tree.test/chain/${id + 1}`;
      const children = [1, 2, 3, 4].map((step) => url(id * 4 + step));
      return {
        fails: false,
        identity: at,
        links: isChain
          ? id < size / 40
            ? [{ kind: 'n', verdict: '+', url: next }]
            : []
          : [url(0), ...(id * 4 + 4 < size ? children : [])].map((to) => ({
              kind: 'l',
              verdict: '+',
              url: to,
            })),
      };
    },
  };
}

it('reads as many rows for each page of a large crawl as of a small one', async () => {
  const perPage: number[] = [];
  for (const size of [400, 1_600]) {
    const before = await countRowsRead(services.db);
    const limits = { pages: 100_000, tries: 1_000_000, entries: 1_000_000, depth: 100 };
    const crawl = await startCrawl(makeTree(size), limits);
    await runCrawl(crawl, makeTree(size), size);
    const [row] = await sql<
      { retired: number }[]
    >`SELECT retired FROM gleaner.crawls WHERE root_no = ${crawl.rootNo}`;
    expect(row?.retired).toBeGreaterThan(size);
    perPage.push(((await countRowsRead(services.db)) - before) / (row?.retired ?? 1));
  }
  const [small = 0, large = 0] = perPage;
  expect(large).toBeLessThan(small * 1.5);
});

/** A first page with so many links, and pages with so many others: one of `every` names a next page. */
function makeWide({
  first,
  others,
  repeats = 1,
  every = 2,
}: {
  first: number;
  others: number;
  repeats?: number;
  every?: number;
}): ModelSite {
  const start = 'http://wide.test/';
  const url = (id: string): string =>
    `${start}${id}?${createHash('sha512').update(id).digest('hex').repeat(repeats)}`;
  const linksOf = (id: string, count: number): ModelLink[] =>
    Array.from({ length: count }, (_, n) => ({
      kind: (n + 1) % every === 0 ? 'n' : 'l',
      verdict: '+',
      url: url(`${id}/${n}`),
    }));
  return {
    starts: [start],
    sources: [],
    fetch: (at) => ({
      fails: false,
      identity: at,
      links:
        at === start ? linksOf('first', first) : linksOf(at.slice(start.length).split('?')[0] ?? '', others),
    }),
  };
}

it('handles as many rows for each of many links of a page as for each of few', async () => {
  const perLink: number[] = [];
  for (const links of [300, 300, 1_200]) {
    // Statistics of other runs say that a new one has no rows.
    await sql`ANALYZE gleaner.frontier`;
    const site = makeWide({ first: links, others: 0 });
    const crawl = await startCrawl(site, { pages: 100_000, tries: 100_000, entries: 100_000, depth: 1 });
    const writer = createChunkWriter(services, 'wrk_model');
    const [first] = await takeWaiting(services, 'wrk_model', 1);
    if (first) await write(crawl, site, writer, first);
    const rows = await countRowsHandled(
      database.url,
      `SELECT is_more FROM "${ENGINE}".number_children(${crawl.rootNo})`,
    );
    const [row] = await sql<{ entries: number }[]>`
      SELECT count(*)::int AS entries FROM gleaner.frontier WHERE run_no = ${crawl.pages}`;
    expect(row?.entries).toBe(links + 1);
    perLink.push(rows / (row?.entries ?? 1));
    await sql`SELECT outcome FROM ${sql(ENGINE)}.cancel_run(${crawl.accountId}, ${crawl.root})`;
  }
  const [, few = 0, many = 0] = perLink;
  expect(few).toBeGreaterThan(1);
  expect(many).toBeLessThan(few * 1.5);
});

it('ends a crawl whose worker died before the last step', async () => {
  // As many links as a worker reads of one page.
  const site = makeWide({ first: 1, others: 10_000, repeats: 3 });
  const crawl = await startCrawl(site, { pages: 2, tries: 20, entries: 100_000, depth: 1 });
  const writer = createChunkWriter(services, 'wrk_model');
  for (let page = 0; page < 2; page += 1) {
    for (const chunk of await takeWaiting(services, 'wrk_model', 4)) await write(crawl, site, writer, chunk);
    // One step for so many links.
    await retire(crawl);
  }
  const read = () => sql`SELECT retired, is_over FROM gleaner.crawls WHERE root_no = ${crawl.rootNo}`;
  expect(await read()).toEqual([{ retired: 2, is_over: false }]);
  await numberWaiting(services);
  expect(await read()).toEqual([{ retired: 2, is_over: true }]);
});

it('keeps as many addresses as it may, though every link names a next page', async () => {
  const site = makeWide({ first: 40, others: 40, every: 1 });
  const limits = { pages: 30, tries: 300, entries: 100, depth: 3 };
  const crawl = await startCrawl(site, limits);
  await runCrawl(crawl, site, SEED);
  expect(await retiredOf(crawl)).toEqual(crawlInOrder(site, limits).retired);
  expect(
    await sql`SELECT count(*)::int AS entries FROM gleaner.frontier WHERE run_no = ${crawl.pages}`,
  ).toEqual([{ entries: 2 * limits.entries }]);
});

it('a crawl that is cancelled while a worker writes a page keeps nothing of it', async () => {
  const site = makeSite(5);
  const limits = { pages: 10, tries: 20, entries: 100, depth: 3 };
  const crawl = await startCrawl({ ...site, sources: [] }, limits);
  const [chunk] = await takeWaiting(services, 'wrk_slow');
  if (!chunk) throw new Error('nothing was taken');
  const [seq = 0] = chunk.seqs;
  let cancelling: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    const db = { ...services.db, sql: tx as unknown as typeof sql };
    const { found } = toFetched(site, seq, chunk.inputs[0] ?? '');
    const outcomes = { succeeded: [seq], answers: ['{}'], failed: [], errors: [], fetched: [found] };
    await createChunkWriter({ ...services, db }, 'wrk_slow').write(chunk, outcomes, {});
    cancelling =
      sql`SELECT outcome FROM ${sql(ENGINE)}.cancel_run(${crawl.accountId}, ${crawl.root})`.execute();
    cancelling.catch(() => undefined);
    await untilSomebodyWaits(services.db);
  });
  expect(await cancelling).toContainEqual({ outcome: 'cancelled' });
  const [left] = await sql`
    SELECT (SELECT count(*)::int FROM gleaner.results r WHERE r.run_no = ${crawl.pages}) AS results,
      (SELECT count(*)::int FROM gleaner.fetched_pages p WHERE p.run_no = ${crawl.pages}) AS fetched,
      r.total - r.cancelled AS counted, r.finished_at IS NULL AS runs, r.reserved::int FROM gleaner.runs r WHERE r.no = ${crawl.pages}`;
  expect(left).toEqual({ results: 0, fetched: 0, counted: 0, runs: false, reserved: 0 });
});
