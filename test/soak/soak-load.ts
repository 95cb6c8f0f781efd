import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosSite } from '../chaos/chaos-site.ts';
import { submitRound, type Accepted, type Tenant } from '../chaos/load.ts';

export interface Latency {
  atMs: number;
  tookMs: number;
}

export interface SoakLoad {
  accepted: Accepted[];
  /** Scrapes that were answered with data, plain and by the browser. */
  scrapes: Latency[];
  browserScrapes: Latency[];
  counts: Record<string, number>;
  stop(): Promise<void>;
}

/** Receives webhooks. */
async function startReceiver(): Promise<{ url: string; received: () => number; close: () => void }> {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume();
    // One in ten fails, and is sent again.
    response.writeHead(received % 10 === 0 ? 503 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    received: () => received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Work of every kind, one after another, until it is stopped: batches with sinks, jobs, crons, webhooks, exports, failing
 * pages, cancelled batches, scrapes, and scrapes by a browser.
 */
export async function startSoakLoad(
  tenants: readonly Tenant[],
  site: ChaosSite,
  { size, hasBrowser }: { size: number; hasBrowser: boolean },
): Promise<SoakLoad> {
  const receiver = await startReceiver();
  const scrapes: Latency[] = [];
  const browserScrapes: Latency[] = [];
  const accepted: Accepted[] = [];
  const counts: Record<string, number> = {};
  const count = (name: string, by = 1): void => {
    counts[name] = (counts[name] ?? 0) + by;
  };
  let isOver = false;
  let page = 0;

  async function scrape(tenant: Tenant, latencies: Latency[], options: string): Promise<void> {
    page += 1;
    const url = encodeURIComponent(`${site.url}/${tenant.name}/ok/soak-${page}`);
    const from = performance.now();
    const status = await tenant.client
      .call('GET', `/v1/scrape/${tenant.parserId}?url=${url}${options}`, undefined, {
        signal: AbortSignal.timeout(60_000),
      })
      .then((answer) => answer.status)
      .catch(() => 0);
    if (status === 200) latencies.push({ atMs: from, tookMs: performance.now() - from });
    else count(`scrapes that failed (${status})`);
  }
  const until = async (pauseMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!isOver) {
      // A killed API answers nothing; the next turn tries again.
      await work().catch(() => count('calls that failed'));
      await delay(pauseMs);
    }
  };
  const loops = tenants.flatMap((tenant, index) => {
    const { client, name } = tenant;
    const target = { type: 'parser', parserId: tenant.parserId };
    let round = 0;
    let former: string | undefined;
    return [
      until(500, async () => {
        round += 1;
        const one = await submitRound(tenant, site, index * 1_000_000 + round, size);
        accepted.push(one);
        count('batches and jobs', one.batches.length);
        // The one before has ended, or has most of its results.
        if (former !== undefined) {
          const exported = await client.call('GET', `/v1/batches/${former}/export?format=ndjson`);
          count('bytes exported', exported.text.length);
        }
        [former] = one.batches;
      }),
      until(1_500, async () => {
        const urls = Array.from({ length: size }, (_, n) => `${site.url}/${name}/ok/c${round}-${n}`);
        const made = await client.call('POST', '/v1/batches', { target, urls });
        const { id } = made.json as { id: string };
        await delay(300);
        await client.call('POST', `/v1/batches/${id}/cancel`);
        count('cancelled batches');
      }),
      until(100, () => scrape(tenant, scrapes, '')),
      ...(hasBrowser && index === 0
        ? [until(1_000, () => scrape(tenant, browserScrapes, '&useBrowser=true'))]
        : []),
    ];
  });
  for (const { client, parserId, databaseId, name } of tenants) {
    await client.call('POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['batch.finished', 'job.finished'],
    });
    const cron = await client.call('POST', '/v1/crons', {
      name: 'soak',
      description: '',
      schedule: '*/5 * * * *',
      url: `${site.url}/${name}/ok/cron`,
      target: { type: 'parser', parserId, version: 1 },
      sink: { mode: 'database', database: databaseId, table: 'cron' },
    });
    if (cron.status >= 300) throw new Error(`the cron was refused: ${cron.text}`);
    const { id } = cron.json as { id: string };
    loops.push(
      until(5_000, async () => {
        await client.call('POST', `/v1/crons/${id}/trigger`);
        count('firings');
      }),
    );
  }
  return {
    accepted,
    scrapes,
    browserScrapes,
    counts,
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
      counts.webhooks = receiver.received();
      receiver.close();
    },
  };
}
