import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import {
  awaitBatch,
  awaitWorkflowRun,
  durationMs,
  startBenchWorld,
  uploadBatch,
} from './engine/bench-world.ts';
import { buildPage, SCHEMA } from './engine/page.ts';
import { printResult, printTable } from './load/output.ts';
import { median, rounded } from './load/statistics.ts';

const LINKS = { fields: { items: { css: 'a.item@href', take: 'all', type: 'url' } } };

/** `/list/<n>/<count>` links to `count` pages `/item/<n>-<i>` of 10 KB. Records when lists were answered and items requested. */
async function startSite() {
  const item = Buffer.from(buildPage(10_000));
  const answeredAt = new Map<string, number>();
  const firstAskedAt = new Map<string, number>();
  const server = createServer((request, response) => {
    const [, kind, name = '', count = '0'] = (request.url ?? '').split('/');
    const list = name.split('-')[0] ?? '';
    if (kind === 'item') {
      if (!firstAskedAt.has(list)) firstAskedAt.set(list, performance.now());
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(item);
      return;
    }
    const links = Array.from(
      { length: Number(count) },
      (_, index) => `<a class=item href=/item/${name}-${index}>i</a>`,
    );
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(links.join(''), () => {
      answeredAt.set(list, performance.now());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From the answer of a list page to the first request of one of its items, by list page. */
    waits: () => Array.from(answeredAt, ([list, at]) => (firstAskedAt.get(list) ?? Number.NaN) - at),
    forget: () => {
      answeredAt.clear();
      firstAskedAt.clear();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * List pages → details, against the same pages as two flat batches one after the other. The site is in this process, so
 * walls are those of a slow site; both sides pay it.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      backend: { type: 'string', default: 'redis' },
      lists: { type: 'string', default: '100' },
      items: { type: 'string', default: '10,100' },
    },
  });
  const lists = Number(values.lists);
  const site = await startSite();
  const world = await startBenchWorld(values.backend === 'postgres' ? 'postgres' : 'redis');
  const rows: Record<string, number | string>[] = [];
  try {
    const client = await world.system.client({
      credits: 100_000_000,
      concurrency: 64,
      pendingLimit: 5_000_000,
    });
    const make = async (path: string, body: unknown) => {
      const answer = await client.call('POST', path, body);
      if (answer.status !== 201) throw new Error(answer.text);
      return (answer.json as { id: string }).id;
    };
    const linksId = await make('/v1/parsers', { name: 'links', schema: LINKS });
    const itemId = await make('/v1/parsers', { name: 'item', schema: SCHEMA });
    const workflowId = await make('/v1/workflows', {
      name: 'bench',
      stages: [
        { name: 'list', target: { type: 'parser', parserId: linksId } },
        { name: 'details', target: { type: 'parser', parserId: itemId }, from: { path: '$.items[*]' } },
      ],
    });
    const cpu = () => Object.values(world.cpu()).reduce((sum, ms) => sum + ms, 0);
    const runWorkflow = async (urls: string[]) => {
      const started = await client.call('POST', `/v1/workflows/${workflowId}/runs`, { urls });
      if (started.status !== 202) throw new Error(started.text);
      return awaitWorkflowRun(client, (started.json as { id: string }).id);
    };
    for (const size of values.items.split(',').map(Number)) {
      const urls = (part: string) =>
        Array.from({ length: lists }, (_, n) => `${site.origin}/list/${part}${size}x${n}/${size}`);
      await runWorkflow(urls('warm').slice(0, 5));
      site.forget();
      const before = cpu();
      const found = await runWorkflow(urls('w'));
      const workflowCpu = cpu() - before;
      const waits = site.waits();
      const wallMs = durationMs(found);
      const flatBefore = cpu();
      const first = await awaitBatch(client, (await uploadBatch(client, linksId, urls('f'))).id);
      const items = urls('f').flatMap((_, n) =>
        Array.from({ length: size }, (_item, i) => `${site.origin}/item/f${size}x${n}-${i}`),
      );
      const second = await awaitBatch(client, (await uploadBatch(client, itemId, items)).id);
      const flatCpu = cpu() - flatBefore;
      const flatMs = durationMs(first) + durationMs(second);
      const tasks = found.counts.total;
      if (found.counts.succeeded !== lists * (size + 1)) throw new Error(JSON.stringify(found.counts));
      rows.push({
        tasks,
        'workflow ms': wallMs,
        'flat ms': flatMs,
        ratio: rounded(wallMs / flatMs, 2),
        'workflow µs a task': rounded((workflowCpu * 1_000) / tasks, 0),
        'flat µs a task': rounded((flatCpu * 1_000) / tasks, 0),
        'first detail ms, least': rounded(Math.min(...waits), 0),
        'first detail ms, median': rounded(median(waits), 0),
      });
    }
  } finally {
    await world.stop();
    await site.close();
  }
  printTable(rows);
  printResult({ bench: 'workflow', backend: values.backend, rows });
}
