import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Site } from '../system/start-site.ts';
import { callApi } from '../system/start-system.ts';

const SCHEMA = { fields: { title: { css: 'h1', required: true } } };
/** Pages of each batch. */
export const BATCH = 10;

export interface Account {
  id: string;
  key: string;
  parserId: string;
}

export interface Load {
  /** Where clients send their requests; change it during the update. */
  urls: string[];
  accepted: { batches: string[]; jobs: string[]; scrapes: number };
  refusals: string[];
  /** Requests to an address that wait for their answer. */
  open(url: string): number;
  /** Submits a batch of so many slow pages. */
  submitSlow(count: number): Promise<string>;
  /** Resolves when the last scrape has its answer: without a worker there is none. */
  pauseScrapes(): Promise<void>;
  resumeScrapes(): void;
  /** Resolves when the clients have their last answers. */
  stop(): Promise<void>;
}

/** Makes an account by a version's command line. */
export function createAccount(cli: string, env: NodeJS.ProcessEnv): Omit<Account, 'parserId'> {
  const words = ['accounts', 'create', '--name', 'upgraded', '--credits', '1000000', '--json'];
  const limits = ['--concurrency', '20', '--requests-per-minute', '1000000'];
  const text = execFileSync(process.execPath, [cli, ...words, ...limits], {
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  const made = JSON.parse(text) as { account: { id: string }; api_key: string };
  return { id: made.account.id, key: made.api_key };
}

export async function createParser(baseUrl: string, key: string): Promise<string> {
  const body = { name: 'p', schema: SCHEMA };
  return idOf((await callApi(baseUrl, key, { method: 'POST', path: '/v1/parsers', body })).json);
}

function idOf(json: unknown): string {
  return (json as { id: string }).id;
}

/** Clients that submit batches and jobs, and scrape, one after another. */
export function startLoad({ key, parserId }: Account, site: Site, first: string): Load {
  let isOver = false;
  let isPaused = false;
  let scraping = Promise.resolve();
  let turn = 0;
  const open = new Map<string, number>();
  const accepted: Load['accepted'] = { batches: [], jobs: [], scrapes: 0 };
  const refusals: string[] = [];
  const urls = [first];
  const target = { type: 'parser', parserId };
  const send = async (path: string, body?: object) => {
    turn += 1;
    const baseUrl = load.urls[turn % load.urls.length] ?? first;
    const method = body === undefined ? 'GET' : 'POST';
    open.set(baseUrl, load.open(baseUrl) + 1);
    const answer = await callApi(baseUrl, key, { method, path, body });
    open.set(baseUrl, load.open(baseUrl) - 1);
    if (answer.status >= 300) refusals.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const submit = async (pages: string[]): Promise<string> => {
    const id = idOf((await send('/v1/batches', { target, urls: pages })).json);
    accepted.batches.push(id);
    return id;
  };
  const pagesOf = (path: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${site.url}${path}${n}`);
  const scrape = async (): Promise<void> => {
    const page = encodeURIComponent(`${site.url}/item?n=1`);
    const answer = await send(`/v1/scrape/${parserId}?url=${page}`);
    if (answer.text.includes('Item 1')) accepted.scrapes += 1;
    else if (answer.status < 300) refusals.push(`a scrape gave ${answer.text}`);
  };
  const load: Load = {
    urls,
    accepted,
    refusals,
    open: (url) => open.get(url) ?? 0,
    submitSlow: (count) => submit(pagesOf('/slow?ms=10&n=', count)),
    pauseScrapes: async () => {
      isPaused = true;
      await scraping;
    },
    resumeScrapes: () => {
      isPaused = false;
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
  const repeat = async (pauseMs: number, work: () => Promise<unknown>): Promise<void> => {
    while (!isOver) {
      await work();
      await delay(pauseMs);
    }
  };
  const clients = [
    repeat(400, () => submit(pagesOf('/item?n=', BATCH))),
    repeat(400, async () => {
      accepted.jobs.push(idOf((await send('/v1/jobs', { target, url: `${site.url}/product` })).json));
    }),
    repeat(200, async () => {
      if (isPaused) return;
      scraping = scrape();
      await scraping;
    }),
  ];
  return load;
}
