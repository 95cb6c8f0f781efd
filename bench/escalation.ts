import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { Client } from '../test/system/start-system.ts';
import { awaitBatch, startBenchWorld, uploadBatch, type BenchWorld } from './engine/bench-world.ts';
import { printResult, printTable } from './load/output.ts';
import { rounded } from './load/statistics.ts';

const SHELL = '<!doctype html><div id="root"></div><script src="/app.js"></script>';
const SCRIPT = 'document.getElementById("root").innerHTML = `<h1>${location.pathname}</h1>`';
const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
const PRICE = { http: 1, browser: 5 };

/** Who asked for a page, in the order of the requests. */
interface Visit {
  path: string;
  by: 'http' | 'browser';
}

/** A site of which `needsBrowser` says what is filled by scripts. */
async function startSite(needsBrowser: (path: string) => boolean) {
  const visits: Visit[] = [];
  const server = createServer(({ url: path = '/', headers }, response) => {
    if (path === '/app.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(SCRIPT);
      return;
    }
    visits.push({ path, by: headers['sec-fetch-dest'] === undefined ? 'http' : 'browser' });
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(needsBrowser(path) ? SHELL : `<!doctype html><h1>${path}</h1>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    visits,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Tenant {
  client: Client;
  parserId: string;
}

async function openTenant({ system }: BenchWorld): Promise<Tenant> {
  const client = await system.client({ credits: 1_000_000, concurrency: 20 });
  const parser = await client.call('POST', '/v1/parsers', {
    name: 'bench',
    schema: SCHEMA,
    scrape_config: { escalate: 'browser' },
  });
  return { client, parserId: (parser.json as { id: string }).id };
}

interface Ended {
  id: string;
  counts: { succeeded: number; failed: number };
  credits: { used: number; reserved: number };
  ways: { fetched_by: string; pages: number; credits: number }[];
}

async function runBatch({ client, parserId }: Tenant, urls: readonly string[]): Promise<Ended> {
  const { id } = await awaitBatch(client, (await uploadBatch(client, parserId, urls)).id, 250);
  return (await client.call('GET', `/v1/batches/${id}`)).json as Ended;
}

/** A third of the pages need a browser: what the site saw, what the ledger has and what the run says. */
async function measureMixed(world: BenchWorld, pages: number) {
  const isScripted = (path: string): boolean => Number(path.slice(1)) % 3 === 0;
  const site = await startSite(isScripted);
  try {
    const tenant = await openTenant(world);
    const batch = await runBatch(
      tenant,
      Array.from({ length: pages }, (_, at) => `${site.origin}/${at}`),
    );
    const rendered = new Set(site.visits.filter(({ by }) => by === 'browser').map(({ path }) => path));
    const [ledger] = await world.db.sql<{ settled: number }[]>`
      SELECT sum(credits)::int AS settled FROM gleaner.ledger_entries
      WHERE kind = 'settle' AND account_id = (SELECT account_id FROM gleaner.runs WHERE id = ${batch.id})`;
    const plain = Array.from({ length: pages }, (_, at) => `/${at}`).filter((path) => !isScripted(path));
    return {
      pages,
      succeeded: batch.counts.succeeded,
      bySite: rendered.size * PRICE.browser + (pages - rendered.size) * PRICE.http,
      byLedger: ledger?.settled ?? 0,
      byRun: batch.credits.used,
      byWays: batch.ways.reduce((sum, { credits }) => sum + credits, 0),
      plainPaidDearer: rounded(plain.filter((path) => rendered.has(path)).length / plain.length, 3),
    };
  } finally {
    site.stop();
  }
}

/** A host whose pages all needed a browser needs none any more: how many pages are rendered until that is found. */
async function measureHealed(world: BenchWorld): Promise<number> {
  let isHealed = false;
  const site = await startSite(() => !isHealed);
  try {
    const tenant = await openTenant(world);
    const urls = (name: string, count: number): string[] =>
      Array.from({ length: count }, (_, at) => `${site.origin}/${name}/${at}`);
    await runBatch(tenant, urls('before', 30));
    isHealed = true;
    const { length } = site.visits;
    await runBatch(tenant, urls('after', 200));
    return site.visits.slice(length).filter(({ by }) => by === 'browser').length;
  } finally {
    site.stop();
  }
}

/** What pages cost with `escalate`, on a site a third of whose pages scripts fill. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { pages: { type: 'string', default: '300' }, backend: { type: 'string', default: 'redis' } },
  });
  const world = await startBenchWorld(values.backend === 'postgres' ? 'postgres' : 'redis', {
    env: { GLEANER_WORKER_QUEUES: 'http,browser' },
  });
  try {
    const mixed = await measureMixed(world, Number(values.pages));
    const pagesUntilFound = await measureHealed(world);
    printTable([{ ...mixed, pagesUntilFound }]);
    const sums = new Set([mixed.bySite, mixed.byLedger, mixed.byRun, mixed.byWays]);
    printResult({
      bench: 'escalation',
      backend: world.backend,
      bars: { sums: 1, plainPaidDearer: 0.1, pagesUntilFound: 50 },
      sums: sums.size,
      ...mixed,
      pagesUntilFound,
    });
  } finally {
    await world.stop();
  }
}
