import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Client } from '../system/start-system.ts';
import type { ChaosSite } from './chaos-site.ts';
import type { World } from './world.ts';

/** Slots of each account: what the site must never see exceeded. */
export const CONCURRENCY = 24;

export interface Tenant {
  name: string;
  client: Client;
  parserId: string;
  databaseId: string;
  /** The account's own Postgres. */
  externalId: string;
  /** Three stages, the last writes to a table of the round; absent: no workflows run. */
  workflow: { linksId: string } | undefined;
  hasCrawls: boolean;
}

/** What accounts do beside batches, jobs and scrapes. */
export const MIXES = ['workflows', 'crawls'] as const;
export type Mix = (typeof MIXES)[number];

/** What was accepted and must therefore come true. */
export interface Accepted {
  batches: string[];
  /** Pages that must be rows, by table. */
  rows: Map<string, number>;
  /** Tables of an external database: the batch that writes each, and its pages that exist. */
  externalRows: Map<string, { batch: string; pages: number }>;
  scraped: Scraped;
  /** The returned batch, and how many of its pages must fail, by the error's code. */
  failures: { batch: string; codes: Readonly<Record<string, number>> };
  /** Tables of workflows: a row has the item page that it came from. */
  carried: string[];
  /** Tables of crawls that their limit cuts: the addresses that each has, and no others. */
  sets: Map<string, readonly string[]>;
}

/** Scrapes that were answered with data: each must have been charged. */
export interface Scraped {
  accountId: string;
  answered: number;
}

/** Scrapes of one account that go on beside its batches. */
const SCRAPES = 60;
const SCRAPING_CLIENTS = 4;

const SCHEMA = { fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'number' } } };

let keys = 0;

/** Sends until there is an answer, with one Idempotency-Key: what a careful client does. */
async function sendOnce(client: Client, path: string, body: unknown, withinMs = 120_000): Promise<Answer> {
  keys += 1;
  const headers = { 'idempotency-key': `chaos-${keys}-${client.accountId}` };
  const until = Date.now() + withinMs;
  let last = '';
  for (;;) {
    try {
      const answer = await client.call('POST', path, body, { headers, signal: AbortSignal.timeout(30_000) });
      if (answer.status < 500) return answer;
      last = `${answer.status} ${answer.text}`;
    } catch (error) {
      last = String(error);
    }
    if (Date.now() > until) throw new Error(`no answer to POST ${path} within ${withinMs} ms; last: ${last}`);
    await delay(200);
  }
}

const LINKS = {
  fields: {
    title: { css: 'h1', required: true },
    next: { css: 'a.next@href', type: 'url' },
    items: { css: 'a.item@href', take: 'all', type: 'url' },
    more: { css: 'a.more@href', type: 'url' },
  },
};

export async function createTenant(world: World, name: string, mix: readonly Mix[] = []): Promise<Tenant> {
  const client = await world.system.client({ credits: 100_000_000, concurrency: CONCURRENCY });
  const parser = await client.call('POST', '/v1/parsers', { name: 'chaos', schema: SCHEMA });
  const database = await client.call('POST', '/v1/databases', { name: 'chaos', kind: 'managed' });
  const databaseId = (database.json as { id: string }).id;
  const login = await client.call('POST', `/v1/databases/${databaseId}/credentials`, {});
  world.readers.push((login.json as { connection_url: string }).connection_url);
  const external = await client.call('POST', '/v1/databases', {
    name: 'elsewhere',
    kind: 'postgres',
    connection_url: world.elsewhere.url,
  });
  const links = mix.includes('workflows')
    ? await client.call('POST', '/v1/parsers', { name: 'links', schema: LINKS })
    : undefined;
  return {
    name,
    client,
    workflow: links && { linksId: (links.json as { id: string }).id },
    hasCrawls: mix.includes('crawls'),
    parserId: (parser.json as { id: string }).id,
    databaseId,
    externalId: (external.json as { id: string }).id,
  };
}

/** Scrapes pages one after another, as careless clients do: what fails is not asked for again. */
async function scrapeRound(tenant: Tenant, site: ChaosSite, round: number): Promise<Scraped> {
  const { client, name, parserId } = tenant;
  let next = 0;
  let answered = 0;
  const scrapeOn = async (): Promise<void> => {
    while (next < SCRAPES) {
      const page = `${site.url}/${name}/ok/${round}-s-${next}`;
      next += 1;
      const path = `/v1/scrape/${parserId}?url=${encodeURIComponent(page)}`;
      const status = await client
        .call('GET', path, undefined, { signal: AbortSignal.timeout(60_000) })
        .then((answer) => answer.status)
        .catch(() => 0);
      if (status === 200) answered += 1;
      else await delay(300);
    }
  };
  await Promise.all(Array.from({ length: SCRAPING_CLIENTS }, scrapeOn));
  return { accountId: client.accountId, answered };
}

const LIST_PAGES = 4;

/** A workflow of three stages into a table of its own. @returns the run, its table and how many rows it must have */
async function submitWorkflow(tenant: Tenant, site: ChaosSite, round: number, size: number) {
  const { client, name, workflow } = tenant;
  if (!workflow) return undefined;
  const items = Math.ceil(size / 2 / LIST_PAGES);
  const table = `w${round}`;
  const target = { type: 'parser', parserId: workflow.linksId };
  const created = await sendOnce(client, '/v1/workflows', {
    name: table,
    stages: [
      { name: 'list', target, from: { stage: 'list', path: '$.next' } },
      { name: 'item', target, from: { stage: 'list', path: '$.items[*]' } },
      {
        name: 'more',
        target,
        from: { path: '$.more' },
        sink: {
          mode: 'database',
          database: tenant.databaseId,
          table,
          carry: { item: '$.stages.item.title', list: '$.stages.list.title' },
        },
      },
    ],
  });
  const { id } = created.json as { id: string };
  const urls = [`${site.url}/${name}/list/w${round}-1-${LIST_PAGES}-${items}`];
  const started = await sendOnce(client, `/v1/workflows/${id}/runs`, { urls });
  if (started.status !== 202) throw new Error(`a workflow was refused: ${started.status} ${started.text}`);
  const gone = Array.from({ length: items }, (_, index) => index).filter(isGone).length;
  return {
    id: (started.json as { id: string }).id,
    table: `${tenant.databaseId}.${table}`,
    rows: LIST_PAGES * (items - gone),
  };
}

/** Items of a list page that don't exist. */
function isGone(index: number): boolean {
  return index % 50 === 7;
}

const CRAWL_LIMIT = 60;

/** Crawls the pages of a workflow: all into one table, and so many as a limit lets into another. */
async function submitCrawls(tenant: Tenant, site: ChaosSite, round: number, size: number) {
  const { client, name } = tenant;
  if (!tenant.hasCrawls) return undefined;
  const items = Math.ceil(size / 2 / LIST_PAGES);
  const start = (part: string): string =>
    `${site.url}/${name}/list/w${part}${round}-1-${LIST_PAGES}-${items}`;
  const crawl = async (part: string, pages: number): Promise<{ id: string; table: string }> => {
    const table = `${part}${round}`;
    const sink = { mode: 'database', database: tenant.databaseId, table };
    const started = await sendOnce(client, '/v1/crawls', {
      start: [start(part)],
      crawl: { include: [`/${name}/*`], next: ['a.next'], sources: { sitemaps: false } },
      routes: [{ name: 'pages', match: '/*', schema: { fields: { title: 'h1' } }, sink }],
      limits: { pages },
    });
    if (started.status !== 202) throw new Error(`a crawl was refused: ${started.status} ${started.text}`);
    return { id: (started.json as { id: string }).id, table: `${tenant.databaseId}.${table}` };
  };
  const [all, cut] = await Promise.all([crawl('c', 100_000), crawl('l', CRAWL_LIMIT)]);
  const places = Array.from({ length: LIST_PAGES * items }, (_, place) => place);
  const there = places.filter((place) => !isGone(place % items));
  const item = (place: number): string => `wl${round}-${Math.floor(place / items) + 1}-${place % items}`;
  // Lists have depth 0, items 1, what is behind them 2. Items that are gone count against the limit.
  const inOrder = [
    ...Array.from({ length: LIST_PAGES }, (_, page) => start('l').replace(/-1-/, `-${page + 1}-`)),
    ...places.map((place) => {
      const kind = (place % items) % 20 === 3 ? 'flaky' : 'ok';
      return isGone(place % items) ? null : `${site.url}/${name}/${kind}/${item(place)}`;
    }),
    ...there.map((place) => `${site.url}/${name}/ok/${item(place)}-more`),
  ];
  return {
    ids: [all.id, cut.id],
    rows: [all.table, LIST_PAGES + there.length * 2] as const,
    set: [cut.table, inOrder.slice(0, CRAWL_LIMIT).filter((url) => url !== null)] as const,
  };
}

/** How many pages each run has that is cancelled. */
const CANCELLED = 60;
const CANCELLED_WITHIN_MS = 2_500;

/** Asks until there is an answer. The run may have ended, or an earlier request has cancelled it. */
async function cancel(client: Client, path: string): Promise<void> {
  const until = Date.now() + 120_000;
  while (Date.now() < until) {
    const signal = AbortSignal.timeout(30_000);
    const status = await client.call('POST', `${path}/cancel`, undefined, { signal }).then(
      (answer) => answer.status,
      () => 503,
    );
    if (status < 500) return;
    await delay(200);
  }
  throw new Error(`no answer to POST ${path}/cancel`);
}

/**
 * Runs that are cancelled at some moment: batches, into a table with history too, and a crawl. Their account has no limit on what
 * the site sees: a cancelled run gives its slots on before its workers hear of it.
 * @returns their ids
 */
export async function cancelRound(tenant: Tenant, site: ChaosSite, round: number): Promise<string[]> {
  const { client, name, parserId, databaseId, hasCrawls } = tenant;
  const target = { type: 'parser', parserId };
  const urls = (part: string): string[] =>
    Array.from({ length: CANCELLED }, (_, index) => `${site.url}/${name}/ok/${round}-${part}-${index}`);
  const sink = { mode: 'database', database: databaseId, table: `h${round}`, key: ['_url'], history: true };
  const start = `${site.url}/${name}/list/wk${round}-1-${LIST_PAGES}-${CANCELLED}`;
  const crawl = {
    start: [start],
    crawl: { next: ['a.next'], sources: { sitemaps: false } },
    limits: { pages: CANCELLED },
  };
  const runs = [
    ['/v1/batches', { target, urls: urls('cr') }],
    ['/v1/batches', { target, urls: urls('ch'), sink }],
    ['/v1/batches', { target, urls: urls('ci'), sink }],
    ...(hasCrawls ? [['/v1/crawls', crawl] as const] : []),
  ] as const;
  return Promise.all(
    runs.map(async ([path, body], place) => {
      const started = await sendOnce(client, path, body);
      if (started.status !== 202) throw new Error(`a run was refused: ${started.status} ${started.text}`);
      const { id } = started.json as { id: string };
      // Spread over the time in which the pages are fetched, and other in each round.
      await delay(((place * 7 + round * 3) % 10) * (CANCELLED_WITHIN_MS / 10));
      await cancel(client, path === '/v1/crawls' ? `/v1/workflow-runs/${id}` : `${path}/${id}`);
      return id;
    }),
  );
}

/** Kinds of pages by the index in fifty. Only the returned batch has results that Postgres refuses. */
const RARE_KINDS: Readonly<Record<number, string>> = {
  7: 'gone',
  11: 'hostile',
  19: 'refused',
  27: 'unread',
};

/** A batch that is returned, one into a managed table, a smaller one into the account's own Postgres, some jobs, scrapes, and a workflow. */
export async function submitRound(
  tenant: Tenant,
  site: ChaosSite,
  round: number,
  size: number,
): Promise<Accepted> {
  const { client, name } = tenant;
  const target = { type: 'parser', parserId: tenant.parserId };
  const page = (part: string, index: number): string => {
    const rare = RARE_KINDS[index % 50];
    const kind = rare ?? (index % 20 === 3 ? 'flaky' : 'ok');
    return `${site.url}/${name}/${kind === 'refused' && part !== 'r' ? 'ok' : kind}/${round}-${part}-${index}`;
  };
  const urls = (part: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => page(part, index));
  const table = `t${round}`;
  const sink = { mode: 'database', database: tenant.databaseId, table };
  const externalTable = `${name}_${table}`;
  const externalSize = Math.ceil(size / 5);
  const externalSink = { mode: 'database', database: tenant.externalId, table: externalTable, key: ['_url'] };
  const [scraped, workflow, crawls, ...answers] = await Promise.all([
    scrapeRound(tenant, site, round),
    submitWorkflow(tenant, site, round, size),
    submitCrawls(tenant, site, round, size),
    sendOnce(client, '/v1/batches', { target, urls: urls('r', size) }),
    sendOnce(client, '/v1/batches', { target, urls: urls('d', size), sink }),
    sendOnce(client, '/v1/batches', { target, urls: urls('x', externalSize), sink: externalSink }),
    ...Array.from({ length: 5 }, (_, index) =>
      sendOnce(client, '/v1/jobs', { target, url: page('j', index) }),
    ),
  ]);
  for (const answer of answers) {
    if (answer.status !== 202) throw new Error(`a submission was refused: ${answer.status} ${answer.text}`);
  }
  const existing = (part: string, count: number): number =>
    urls(part, count).filter((url) => !/\/(?:gone|unread)\//.test(url)).length;
  const pagesOf = (kind: string): number => urls('r', size).filter((url) => url.includes(`/${kind}/`)).length;
  const batches = answers.map(({ json }) => (json as { id: string }).id);
  if (workflow) batches.push(workflow.id);
  batches.push(...(crawls?.ids ?? []));
  return {
    batches,
    scraped,
    rows: new Map([
      [`${tenant.databaseId}.${table}`, existing('d', size)],
      ...(workflow ? [[workflow.table, workflow.rows] as const] : []),
      ...(crawls ? [crawls.rows] : []),
    ]),
    failures: {
      batch: batches[0] ?? '',
      codes: {
        fetch_failed: pagesOf('gone'),
        extraction_failed: pagesOf('unread'),
        internal: pagesOf('refused'),
      },
    },
    carried: workflow ? [workflow.table] : [],
    sets: new Map(crawls ? [crawls.set] : []),
    externalRows: new Map([[externalTable, { batch: batches[2] ?? '', pages: existing('x', externalSize) }]]),
  };
}
