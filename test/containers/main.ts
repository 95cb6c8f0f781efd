import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openContainers, type Containers } from './compose.ts';
import { openService, readChecks, type Batch, type Service } from './service.ts';
import { SITE_HOST, startSite } from './site.ts';

/**
 * `node test/containers/main.ts`: the image and docker-compose.yml, tried for real. It starts the services with three
 * workers from an image that exists (`docker compose build`), kills a worker, empties Redis and restarts Postgres
 * within a batch, and checks results and credits, pages in a browser, a stop and a new start, and memory limits.
 */
const WORKERS = 3;
const PAGES = 600;
const FAILING_EVERY = 20;
const BROWSER_PAGES = 6;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function createParser({ call }: Service): Promise<string> {
  const schema = { fields: { title: { css: 'h1', required: true } } };
  return (await call<{ id: string }>('POST', '/v1/parsers', { name: 'containers', schema })).id;
}

async function checkBatch(service: Service, id: string, urls: readonly string[]): Promise<Batch> {
  const wanted = urls.filter((url) => !url.includes('/missing'));
  const batch = await service.ended(id);
  assert.equal(batch.counts.total, urls.length);
  assert.equal(batch.counts.succeeded, wanted.length, 'every page that exists succeeds once');
  assert.equal(batch.counts.failed, urls.length - wanted.length);
  assert.deepEqual(await service.results(id), wanted, 'the results are those pages in their order');
  return batch;
}

/** A batch that loses a worker, all of Redis and Postgres's process while it runs. */
async function survivesFaults(service: Service, containers: Containers, parserId: string): Promise<void> {
  const urls = Array.from({ length: PAGES }, (_, n) =>
    n % FAILING_EVERY === 7 ? `http://${SITE_HOST}/missing?n=${n}` : `http://${SITE_HOST}/page?n=${n}`,
  );
  const target = { type: 'parser', parserId };
  const { id } = await service.call<{ id: string }>('POST', '/v1/batches', { target, urls });
  await sleep(1_000);
  const [victim = ''] = containers.idsOf('worker');
  containers.docker('kill', '--signal', 'KILL', victim);
  say('  killed a worker');
  await sleep(1_000);
  containers.compose('exec', '-T', 'redis', 'redis-cli', 'FLUSHALL');
  say('  emptied Redis');
  await sleep(1_000);
  containers.compose('restart', 'postgres');
  say('  restarted Postgres');
  const batch = await checkBatch(service, id, urls);
  assert.deepEqual(
    batch.credits,
    { reserved: 0, used: batch.counts.succeeded },
    'each success costs one credit',
  );
  say(`  ${batch.counts.succeeded} results and credits, ${batch.counts.failed} failures: exact`);
}

async function loadsBrowserPages(service: Service, parserId: string): Promise<void> {
  const urls = Array.from({ length: BROWSER_PAGES }, (_, n) => `http://${SITE_HOST}/scripted?n=${n}`);
  const target = { type: 'parser', parserId };
  const body = { target, urls, scrape_config: { useBrowser: true } };
  const { id } = await service.call<{ id: string }>('POST', '/v1/batches', body);
  const batch = await checkBatch(service, id, urls);
  await sleep(6_000);
  await service.becomesReady();
  const checks = readChecks(containers);
  say(`  ${batch.counts.succeeded} pages; sandbox of Chromium: ${checks['browser_sandbox']}`);
  assert.equal(checks['browser_sandbox'], 'on');
}

function printMemory({ docker, compose }: Containers): void {
  const ids = compose('ps', '--quiet').split('\n').filter(Boolean);
  const rows = docker('stats', '--no-stream', '--format', '{{.Name}}\t{{.MemUsage}}\t{{.MemPerc}}', ...ids);
  say(rows.trimEnd().replaceAll(/^/gm, '  '));
  for (const row of rows.trimEnd().split('\n')) {
    assert.ok(Number.parseFloat(row.split('\t')[2] ?? '') < 90, `memory is short: ${row}`);
  }
}

const containers = openContainers();
say('Starting the services …');
containers.compose('up', '--detach', '--no-build', '--scale', `worker=${WORKERS}`);
const service = await openService(containers);
const stopSite = startSite(containers);
try {
  const parserId = await createParser(service);
  say('A batch with faults:');
  await survivesFaults(service, containers, parserId);
  say('Pages in a browser:');
  await loadsBrowserPages(service, parserId);
  say('Memory, with the limits of docker-compose.yml:');
  printMemory(containers);
  say('Stop and start:');
  containers.compose('stop');
  containers.compose('up', '--detach', '--no-build', '--scale', `worker=${WORKERS}`);
  await service.becomesReady();
  const path = `/v1/scrape/${parserId}?url=${encodeURIComponent(`http://${SITE_HOST}/page?n=1`)}`;
  const answer = await service.call<{ title: string }>('GET', path);
  assert.equal(answer.title, 'Page 1');
  say('  a scrape works\npassed');
} finally {
  stopSite();
}
