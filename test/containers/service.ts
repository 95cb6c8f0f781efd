import { setTimeout as sleep } from 'node:timers/promises';
import type { Containers } from './compose.ts';

export interface Batch {
  status: string;
  counts: Record<'total' | 'pending' | 'running' | 'succeeded' | 'failed', number>;
  credits: { reserved: number; used: number };
}

/** The API of the running containers, called as an account. */
export interface Service {
  call: <T>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<T>;
  /** Waits until /readyz answers 200. */
  becomesReady: () => Promise<void>;
  /** Waits for the end of a batch, however often the service is away meanwhile. */
  ended: (id: string) => Promise<Batch>;
  /** The addresses of all results of a batch. */
  results: (id: string) => Promise<string[]>;
}

const READY_MS = 180_000;
const BATCH_MS = 300_000;

async function until<T>(what: string, withinMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const limit = Date.now() + withinMs;
  let last = '';
  for (;;) {
    try {
      const value = await look();
      if (value !== undefined) return value;
    } catch (error) {
      last = String(error);
    }
    if (Date.now() > limit) throw new Error(`${what} did not happen within ${withinMs / 1000} s. ${last}`);
    await sleep(250);
  }
}

/** The checks of /readyz, which it tells to programs beside it. */
export function readChecks(containers: Containers): Record<string, string> {
  const ask = `fetch('http://127.0.0.1:3000/readyz').then((r) => r.text()).then(console.log)`;
  const text = containers.compose('exec', '-T', 'api', 'node', '--eval', ask);
  return (JSON.parse(text) as { checks: Record<string, string> }).checks;
}

/** Waits until the service is ready and creates an account in it. */
export async function openService(containers: Containers): Promise<Service> {
  const baseUrl = (): string => `http://${containers.compose('port', 'api', '3000').trim()}`;
  const becomesReady = async (): Promise<void> => {
    await until('/readyz answers 200', READY_MS, async () => {
      const answer = await fetch(`${baseUrl()}/readyz`, { signal: AbortSignal.timeout(10_000) });
      if (!answer.ok) throw new Error(JSON.stringify(readChecks(containers)));
      return true;
    });
  };
  await becomesReady();
  const words = ['accounts', 'create', '--name', `containers ${Date.now()}`, '--credits', '100000', '--json'];
  const made = containers.compose('exec', '-T', 'api', 'node', 'dist/cli.js', ...words);
  const { api_key: key } = JSON.parse(made) as { api_key: string };

  const call = async <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${baseUrl()}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    call,
    becomesReady,
    ended: (id) =>
      until(`the batch ${id} ends`, BATCH_MS, async () => {
        const batch = await call<Batch>('GET', `/v1/batches/${id}`);
        return ['pending', 'running'].includes(batch.status) ? undefined : batch;
      }),
    results: async (id) => {
      const urls: string[] = [];
      let cursor: string | undefined;
      do {
        const query: string = cursor === undefined ? '' : `&cursor=${cursor}`;
        const page = await call<{ results: { url: string }[]; cursor?: string }>(
          'GET',
          `/v1/batches/${id}/results?limit=100${query}`,
        );
        urls.push(...page.results.map(({ url }) => url));
        ({ cursor } = page);
      } while (cursor !== undefined);
      return urls;
    },
  };
}
