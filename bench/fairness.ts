import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  awaitBatch,
  durationMs,
  readBatch,
  startBenchWorld,
  uploadBatch,
  type BenchWorld,
} from './engine/bench-world.ts';
import { startTarget } from './engine/child.ts';
import { openTenant, type Tenant } from './engine/open-tenant.ts';
import { measureShares, SHARE_CASES } from './fairness/measure-shares.ts';
import { printResult, printTable } from './load/output.ts';
import { median, percentile, rounded } from './load/statistics.ts';

/** Pages answer after this long, so that slots and not this machine's two cores are what is shared. */
const PAGE_MS = 150;
const ACCOUNTS = 10;
const WINDOW_MS = 5_000;

async function scrapeTimes(tenant: Tenant, origin: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const from = performance.now();
    const url = encodeURIComponent(`${origin}/scrape/${index}`);
    const { status, text } = await tenant.client.call('GET', `/v1/scrape/${tenant.parserId}?url=${url}`);
    if (status !== 200) throw new Error(`${status}: ${text}`);
    times.push(performance.now() - from);
    await delay(20);
  }
  return times;
}

function jain(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}

/** Batches of ten accounts at once: what an eleventh's scrapes lose by them, and how evenly they are served. */
async function measureAccounts(world: BenchWorld, origin: string, scrapes: number) {
  const eleventh = await openTenant(world, 10);
  await scrapeTimes(eleventh, origin, 30);
  const idle = await scrapeTimes(eleventh, origin, scrapes);
  const tenants = await Promise.all(Array.from({ length: ACCOUNTS }, () => openTenant(world, 20)));
  const batches = await Promise.all(
    tenants.map(({ client, parserId }, tenant) =>
      uploadBatch(
        client,
        parserId,
        Array.from({ length: 20_000 }, (_, index) => `${origin}/${tenant}/${index}`),
      ),
    ),
  );
  const counts = (): Promise<number[]> =>
    Promise.all(
      batches.map(async ({ id }, tenant) => {
        const owner = tenants[tenant];
        return owner ? (await readBatch(owner.client, id)).counts.succeeded : 0;
      }),
    );
  await delay(3_000);
  const indices: number[] = [];
  let isScraping = true;
  const windows = (async () => {
    let before = await counts();
    while (isScraping) {
      await delay(WINDOW_MS);
      const after = await counts();
      indices.push(jain(after.map((count, tenant) => count - (before[tenant] ?? 0))));
      before = after;
    }
  })();
  const busy = await scrapeTimes(eleventh, origin, scrapes);
  isScraping = false;
  await windows;
  await Promise.all(
    batches.map(async ({ id }, tenant) => tenants[tenant]?.client.call('POST', `/v1/batches/${id}/cancel`)),
  );
  return {
    idleP50: rounded(median(idle), 1),
    idleP99: rounded(percentile(idle, 0.99), 1),
    busyP50: rounded(median(busy), 1),
    busyP99: rounded(percentile(busy, 0.99), 1),
    addedP99: rounded(percentile(busy, 0.99) - percentile(idle, 0.99), 1),
    jainLeast: rounded(Math.min(...indices), 3),
    windows: indices.length,
  };
}

/** A batch of 100 beside the account's own of 100,000, against its time alone. */
async function measureOwn(world: BenchWorld, origin: string) {
  const { client, parserId } = await openTenant(world, 50);
  const small = async (round: string): Promise<number> => {
    const urls = Array.from({ length: 100 }, (_, index) => `${origin}/${round}/${index}`);
    return durationMs(await awaitBatch(client, (await uploadBatch(client, parserId, urls)).id, 50));
  };
  await small('warm');
  const alone = median([await small('a'), await small('b'), await small('c')]);
  const large = await uploadBatch(
    client,
    parserId,
    Array.from({ length: 100_000 }, (_, index) => `${origin}/large/${index}`),
  );
  await delay(4_000);
  const beside: number[] = [];
  for (const round of ['d', 'e', 'f']) {
    beside.push(await small(round));
    await delay(1_500);
  }
  await client.call('POST', `/v1/batches/${large.id}/cancel`);
  return { aloneMs: alone, besideMs: median(beside), ratio: rounded(median(beside) / alone, 2) };
}

/** Who waits for whom: interactive beside bulk, account beside account, batch beside batch. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      backend: { type: 'string', default: 'redis' },
      scrapes: { type: 'string', default: '100' },
      windows: { type: 'string', default: '3' },
      only: { type: 'string' },
    },
  });
  const backend = values.backend === 'postgres' ? 'postgres' : 'redis';
  const { only } = values;
  const cases = only === undefined || only === 'shares' ? Object.keys(SHARE_CASES) : [only];
  const shares = await measureShares(backend, { windows: Number(values.windows), cases });
  printTable(shares.rows.map((row) => ({ ...row })));
  const worst = {
    least: Math.min(...shares.rows.map(({ least }) => least)),
    most: Math.max(...shares.rows.map(({ most }) => most)),
    slotsUsed: shares.used,
  };
  if (only !== undefined) {
    printResult({ bench: 'fairness', backend, bars: { least: 0.9, most: 1.1 }, shares: worst });
    return;
  }
  const target = await startTarget(5_000, PAGE_MS);
  const world = await startBenchWorld(backend);
  try {
    const own = await measureOwn(world, target.origin);
    const accounts = await measureAccounts(world, target.origin, Number(values.scrapes));
    printTable([{ ...accounts }]);
    printTable([{ ...own }]);
    printResult({
      bench: 'fairness',
      backend: world.backend,
      bars: { addedP99: 25, jain: 0.95, ratio: 3, least: 0.9, most: 1.1 },
      shares: worst,
      accounts,
      own,
    });
  } finally {
    await world.stop();
    target.stop();
  }
}
