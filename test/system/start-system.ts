import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createAccount, prepareDatabase, type NewAccount } from '@gleaner/core';
import { createDatabase, type Database } from '@gleaner/db';
import { startProcess, type RunningProcess } from '../processes/process.ts';
import { PROCESS_ENV, processFile } from './process-file.ts';

const root = join(import.meta.dirname, '../..');
/** Long enough for a machine whose cores other tests use. */
const READY_WITHIN_MS = 180_000;

export const OPERATOR_PASSWORD = 'operator-of-tests';

export interface SystemOptions {
  databaseUrl: string;
  /** The same database through a pooler, for the processes. */
  pooledUrl?: string | undefined;
  redisUrl?: string | undefined;
  workers?: number;
  /** The bundled processes of another version. The database must be migrated. */
  dist?: string;
  /** Further variables for all processes. */
  env?: Readonly<Record<string, string>>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The text as JSON; undefined when it is none. */
  json: unknown;
}

export interface Client {
  accountId: string;
  apiKey: string;
  /** A body that is no string, buffer or form is sent as JSON. */
  call(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Answer>;
}

/** Makes an account and calls the API as it. */
export type CreateClient = (account?: Partial<NewAccount>) => Promise<Client>;

/** The real processes, as `npm start` would run them, without their supervisor. */
export interface System {
  baseUrl: string;
  api: RunningProcess;
  workers: RunningProcess[];
  scheduler: RunningProcess;
  /** One more, which takes work when this resolves. */
  addWorker(): Promise<RunningProcess>;
  /** A second API process, which is ready when this resolves. Clients call the first one. */
  addApi(): Promise<{ baseUrl: string; api: RunningProcess }>;
  client: CreateClient;
  /** Everything that all processes wrote. */
  output(): string;
  stop(): Promise<void>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function encodeBody(body: unknown): { body?: BodyInit; headers: Record<string, string> } {
  if (body === undefined) return { headers: {} };
  if (typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array) {
    return { body: body as BodyInit, headers: {} };
  }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

export async function callApi(
  baseUrl: string,
  apiKey: string | undefined,
  request: { method: string; path: string; body?: unknown; init?: RequestInit },
): Promise<Answer> {
  const { body, headers } = encodeBody(request.body);
  const response = await fetch(`${baseUrl}${request.path}`, {
    method: request.method,
    ...(body === undefined ? {} : { body }),
    ...request.init,
    headers: {
      ...headers,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...(request.init?.headers as Record<string, string> | undefined),
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

function addressOf(api: RunningProcess): string {
  return /"address":"([^"]+)"/.exec(api.output())?.[1] ?? '';
}

/** Clients of the system at an address, whose accounts are in this database. */
export function createClients(db: Database, baseUrl: string): CreateClient {
  return async (input = {}) => {
    const { account, api_key } = await createAccount(db, {
      name: `client ${randomUUID()}`,
      credits: 1_000,
      ...input,
    });
    return {
      accountId: account.id,
      apiKey: api_key,
      call: (method, path, body, init) =>
        callApi(baseUrl, api_key, {
          method,
          path,
          ...(body === undefined ? {} : { body }),
          ...(init === undefined ? {} : { init }),
        }),
    };
  };
}

/** Migrates the database, unless another version's processes are named, and starts API, workers and scheduler on it. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { databaseUrl, pooledUrl, redisUrl, workers: workerCount = 1, env = {}, dist } = options;
  if (dist === undefined)
    await prepareDatabase({ databaseUrl: pooledUrl ?? databaseUrl, directDatabaseUrl: databaseUrl });
  const db = createDatabase(databaseUrl, { max: 2 });
  const startApp = (
    app: 'api' | 'worker' | 'scheduler',
    name: string,
    isReady: (output: string) => boolean,
  ): Promise<RunningProcess> =>
    startProcess({
      name,
      command: process.execPath,
      args: [dist === undefined ? processFile(app) : join(dist, `${app}.js`)],
      cwd: root,
      env: {
        ...PROCESS_ENV,
        ...(dist === undefined ? {} : { NODE_COMPILE_CACHE: join(dist, '.compiled') }),
        DATABASE_URL: pooledUrl ?? databaseUrl,
        ...(pooledUrl === undefined ? {} : { GLEANER_DIRECT_DATABASE_URL: databaseUrl }),
        PORT: '0',
        GLEANER_OPERATOR_PASSWORD: OPERATOR_PASSWORD,
        GLEANER_EGRESS_ALLOW: '127.0.0.1/32',
        GLEANER_WORKER_QUEUES: 'http',
        ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
        ...env,
      },
      isReady,
      readyWithinMs: READY_WITHIN_MS,
    });
  const startWorker = (number: number): Promise<RunningProcess> =>
    startApp('worker', `worker ${number}`, (output) => output.includes('worker ready'));
  const startApi = (name: string): Promise<RunningProcess> =>
    startApp('api', name, (output) => output.includes('api listens'));
  const [api, scheduler, ...workers] = await Promise.all([
    startApi('api'),
    startApp('scheduler', 'scheduler', (output) => output.includes('scheduler runs')),
    ...Array.from({ length: workerCount }, (_, index) => startWorker(index + 1)),
  ]);
  const apis = [api];
  const baseUrl = addressOf(api);
  return {
    baseUrl,
    api,
    workers,
    scheduler,
    addWorker: async () => {
      const worker = await startWorker(workers.length + 1);
      workers.push(worker);
      return worker;
    },
    addApi: async () => {
      const added = await startApi(`api ${apis.length + 1}`);
      apis.push(added);
      return { baseUrl: addressOf(added), api: added };
    },
    client: createClients(db, baseUrl),
    output: () => [...apis, scheduler, ...workers].map((process) => process.output()).join('\n'),
    stop: async () => {
      await db.close();
      await Promise.all([...apis, scheduler, ...workers].map((process) => process.stop()));
    },
  };
}
