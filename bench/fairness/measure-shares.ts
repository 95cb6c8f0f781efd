import { setTimeout as delay } from 'node:timers/promises';
import {
  readBatch,
  startBenchWorld,
  uploadBatch,
  type BatchRecord,
  type BenchWorld,
} from '../engine/bench-world.ts';
import { startTarget } from '../engine/child.ts';
import { openTenant, type Tenant } from '../engine/open-tenant.ts';
import { serveTree } from '../engine/tree-site.ts';
import { median, rounded } from '../load/statistics.ts';

/** Pages answer after this long, so that slots are shared and not this machine's two cores. */
const PAGE_MS = 1_000;
const WORKERS = 2;
const SLOTS_PER_WORKER = 64;
const WINDOW_MS = 10_000;
const WARM_MS = 8_000;
const TREE_PAGES = 1_000_000;

interface ShareCase {
  /** The limits on concurrency of accounts that all have more work than slots. */
  limits: readonly number[];
  /** How many of these accounts crawl; the others have batches. */
  crawling: number;
  /** How many of the batches may go on in a browser, and remember what worked. */
  escalating?: number;
}

const EQUAL = Array.from({ length: 8 }, () => 40);

export const SHARE_CASES: Readonly<Record<string, ShareCase>> = {
  equal: { limits: EQUAL, crawling: 0 },
  unequal: { limits: [400, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8], crawling: 0 },
  crawls: { limits: EQUAL, crawling: 4 },
  escalating: { limits: EQUAL, crawling: 0, escalating: 4 },
};

export interface ShareRow {
  limits: string;
  account: number;
  limit: number;
  /** Its max-min fair share of the workers' slots. */
  share: number;
  /** Its pages against that share of all pages, by window. */
  least: number;
  median: number;
  most: number;
}

export interface ShareResult {
  rows: ShareRow[];
  /** Executing pages against slots, by case. */
  used: Record<string, number>;
}

/** Max-min fair shares of `slots`: each account gets what it may use, up to one level. */
function fairShares(limits: readonly number[], slots: number): number[] {
  const shares = limits.map(() => 0);
  const order = limits.map((limit, account) => ({ limit, account })).toSorted((a, b) => a.limit - b.limit);
  let left = slots;
  for (const [place, { limit, account }] of order.entries()) {
    const share = Math.min(limit, left / (limits.length - place));
    shares[account] = share;
    left -= share;
  }
  return shares;
}

/** Work of an account. */
interface Work {
  /** Pages so far. */
  count(): Promise<number>;
  cancel(): Promise<unknown>;
}

async function startBatch(
  { client, parserId }: Tenant,
  urls: readonly string[],
  fields: Record<string, string>,
): Promise<Work> {
  const { id } = await uploadBatch(client, parserId, urls, fields);
  return {
    count: async () => (await readBatch(client, id)).counts.succeeded,
    cancel: () => client.call('POST', `/v1/batches/${id}/cancel`),
  };
}

/** Crawls from a page of a tree that is larger than what is fetched meanwhile. */
async function startCrawl({ client }: Tenant, root: string): Promise<Work> {
  const { status, text, json } = await client.call('POST', '/v1/crawls', { start: [root], routes: [] });
  if (status !== 202) throw new Error(text);
  const path = `/v1/workflow-runs/${(json as { id: string }).id}`;
  return {
    count: async () => ((await client.call('GET', path)).json as BatchRecord).counts.succeeded,
    cancel: () => client.call('POST', `${path}/cancel`),
  };
}

interface Sites {
  /** One page at each address. */
  pages: string;
  tree: string;
}

async function measureCase(
  world: BenchWorld,
  sites: Sites,
  { name, limits, crawling, escalating = 0, windows }: ShareCase & { name: string; windows: number },
): Promise<{ rows: ShareRow[]; used: number }> {
  const slots = WORKERS * SLOTS_PER_WORKER;
  const shares = fairShares(limits, slots);
  const seconds = (WARM_MS + (windows + 1) * WINDOW_MS) / 1_000;
  const tenants = await Promise.all(limits.map((concurrency) => openTenant(world, concurrency)));
  const works = await Promise.all(
    tenants.map((account, tenant) => {
      if (tenant < crawling) return startCrawl(account, `${sites.tree}/${name}-${tenant}/0`);
      // Enough for the whole time, also with more slots than its share.
      const length = Math.ceil(Math.min(limits[tenant] ?? 0, slots) * seconds * (1_000 / PAGE_MS) * 1.5);
      const urls = Array.from({ length }, (_, index) => `${sites.pages}/${name}/${tenant}/${index}`);
      const fields: Record<string, string> =
        tenant < escalating ? { scrape_config: '{"escalate":"browser"}' } : {};
      return startBatch(account, urls, fields);
    }),
  );
  const counts = (): Promise<number[]> => Promise.all(works.map((work) => work.count()));
  await delay(WARM_MS);
  const ratios: number[][] = limits.map(() => []);
  let used = 0;
  let before = await counts();
  let from = performance.now();
  for (let window = 0; window < windows; window += 1) {
    await delay(WINDOW_MS);
    const after = await counts();
    const now = performance.now();
    const pages = after.map((count, tenant) => count - (before[tenant] ?? 0));
    const total = pages.reduce((sum, count) => sum + count, 0);
    const all = shares.reduce((sum, share) => sum + share, 0);
    for (const [tenant, count] of pages.entries()) {
      ratios[tenant]?.push((count / total) * (all / (shares[tenant] ?? 1)));
    }
    used += (total * PAGE_MS) / (now - from) / slots / windows;
    before = after;
    from = now;
  }
  await Promise.all(works.map((work) => work.cancel()));
  const rows = limits.map((limit, account) => {
    const own = ratios[account] ?? [];
    return {
      limits: name,
      account,
      limit,
      share: rounded(shares[account] ?? 0, 1),
      least: rounded(Math.min(...own), 2),
      median: rounded(median(own), 2),
      most: rounded(Math.max(...own), 2),
    };
  });
  return { rows, used: rounded(used, 2) };
}

/** Each account's pages against its max-min fair share, in windows of 10 s. Takes about a minute for each case. */
export async function measureShares(
  backend: 'redis' | 'postgres',
  { windows, cases }: { windows: number; cases: readonly string[] },
): Promise<ShareResult> {
  const target = await startTarget(5_000, PAGE_MS);
  const tree = await serveTree(TREE_PAGES, 5_000, PAGE_MS);
  const world = await startBenchWorld(backend, { workers: WORKERS });
  const result: ShareResult = { rows: [], used: {} };
  try {
    for (const name of cases) {
      const shareCase = SHARE_CASES[name];
      if (!shareCase) throw new Error(`no case ${name}; there are ${Object.keys(SHARE_CASES).join(', ')}`);
      const { rows, used } = await measureCase(
        world,
        { pages: target.origin, tree: tree.origin },
        { name, ...shareCase, windows },
      );
      result.rows.push(...rows);
      result.used[name] = used;
    }
    return result;
  } finally {
    await world.stop();
    target.stop();
    tree.close();
  }
}
