import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@gleaner/core/config';
import { checkRedis } from '../reach-port.ts';
import { readConfig } from '../read-config.ts';
import { buildDashboard } from './build-dashboard.ts';
import { claimAddress, localUrl } from './address.ts';
import { openDataFolder } from './data-folder.ts';
import { nameDatabase, recordDatabase, requireOwnDatabase } from './database-record.ts';
import { entryFile } from './entry-file.ts';
import { lockFolder } from './folder-lock.ts';
import { supervisePostgres, type SupervisedPostgres } from './supervised-postgres.ts';
import { startPrepare } from './prepare/run-prepare.ts';
import { recordPreparation } from './preparation-record.ts';
import { writePrivateJson } from './private-file.ts';
import { becomesReady } from './readiness.ts';
import { readyBlock } from './ready-block.ts';
import { runtimeFile } from './data-files.ts';
import { ensureSecrets } from './secrets.ts';
import { supervise, type ProcessSpec, type SupervisedProcess } from './supervisor/child.ts';
import { createLogSink, type LogSink } from './supervisor/log-sink.ts';

/** Time for the child processes to stop. Together with the database it stays under 10 s. */
const CHILDREN_STOP_MS = 7500;
const POSTGRES_STOP_MS = 1500;
/**
 * The scheduler starts when the API answers, or after this time: no request needs it, and the processes that requests
 * need start faster on few cores.
 */
const SCHEDULER_WAIT_MS = 3000;

export interface StartInput {
  env: NodeJS.ProcessEnv;
  /** Receives whole lines and the ready block. */
  write: (text: string) => void;
  isTerminal: boolean;
  /** Starts neither workers nor the scheduler, so that nothing runs, fires or is sent. */
  isStill?: boolean;
  /** Replaced in tests by small processes. */
  services?: (config: Config, env: () => NodeJS.ProcessEnv) => ProcessSpec[];
}

export interface RunningService {
  baseUrl: string;
  /** Resolves after the first 200 from /readyz. */
  ready: Promise<void>;
  stop: () => Promise<void>;
}

/** What the steps of a start share. */
interface Starting {
  input: StartInput;
  config: Config;
  dataDir: string;
  pidsFile: string;
  port: number;
  baseUrl: string;
  log: LogSink;
  /** Stops what has been started, in reverse order. */
  undo: (() => Promise<void> | void)[];
}

/**
 * Starts everything on this machine: database, migrations, first account, processes.
 * @throws Fault after stopping everything that it had started
 */
export async function startService(input: StartInput): Promise<RunningService> {
  const config = readConfig(input.env);
  const dataDir = openDataFolder(config.dataDir);
  const log = createLogSink((line) => input.write(`${line}\n`), input.isTerminal);
  const lock = await lockFolder(dataDir, 'service');
  const undo: Starting['undo'] = [() => lock.release()];
  let stopped: Promise<void> | undefined;
  const undoAll = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step();
  };
  const stop = (): Promise<void> => (stopped ??= undoAll());
  try {
    const pidsFile = join(dataDir, 'pids.json');
    undo.push(() => rmSync(pidsFile, { force: true }));
    const port = await claimAddress(config.host, config.port);
    if (config.redisUrl !== undefined) await checkRedis(config.redisUrl);
    const baseUrl = config.publicUrl ?? localUrl(config.host, port);
    const starting = { input, config, dataDir, pidsFile, port, baseUrl, log, undo };
    return { baseUrl, ready: announceReady(starting, await startProcesses(starting)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the embedded database, if no other is configured, and the process that will prepare it. */
async function startDatabase({ config, dataDir, log, undo }: Starting) {
  if (config.databaseUrl === undefined) requireOwnDatabase(dataDir);
  const prepare = startPrepare();
  undo.push(() => prepare.stop());
  const postgres = config.databaseUrl === undefined ? await supervisePostgres({ dataDir, log }) : undefined;
  if (postgres) undo.push(() => postgres.stop(POSTGRES_STOP_MS));
  // The embedded database moves to another port when its own is taken.
  const url = (): string => postgres?.url() ?? config.databaseUrl ?? '';
  return { postgres, url, prepare };
}

/**
 * Starts the database and the processes, builds the dashboard and prepares the database.
 * @returns the input of `announceReady`, and the function to call once the API answers
 */
async function startProcesses(starting: Starting) {
  const { input, config, dataDir, baseUrl, log, undo } = starting;
  const dashboard = buildDashboard(log);
  undo.push(() => dashboard.stop());
  const database = await startDatabase(starting);
  const secrets = ensureSecrets(dataDir, config);
  // The services don't need npm's variables, which contain all of package.json.
  const own = Object.entries(input.env).filter(([name]) => !/^npm_/i.test(name));
  const env = (): NodeJS.ProcessEnv => ({
    ...Object.fromEntries(own),
    PORT: String(starting.port),
    HOST: config.host,
    DATABASE_URL: database.url(),
    GLEANER_DATA_DIR: dataDir,
    GLEANER_PIDS_FILE: starting.pidsFile,
    GLEANER_OPERATOR_PASSWORD: secrets.operatorPassword,
    GLEANER_SECRET_KEY: secrets.secretKey,
  });
  const answers = Promise.withResolvers<void>();
  const startAll = (): SupervisedProcess[] => {
    const late = sleep(SCHEDULER_WAIT_MS, undefined, { ref: false });
    const specs = (input.services ?? serviceTable)(config, env).map((spec) =>
      spec.name === 'scheduler' ? { ...spec, notBefore: Promise.race([answers.promise, late]) } : spec,
    );
    const started = input.isStill === true ? specs.filter(({ name }) => name === 'api') : specs;
    return startChildren(started, starting, database.postgres);
  };
  const databaseUrl = database.url();
  // A database that this code has prepared before is ready for the processes, so they start beside the preparation.
  const preparation = recordPreparation(dataDir, config.databaseUrl ? nameDatabase(databaseUrl) : 'own');
  const directDatabaseUrl = config.directDatabaseUrl ?? databaseUrl;
  const preparing = database.prepare.run({ databaseUrl, directDatabaseUrl, dataDir, baseUrl, ...secrets });
  preparing.catch(() => undefined);
  await dashboard.done;
  const early = preparation.isKnown ? startAll() : undefined;
  const account = await preparing;
  preparation.record();
  publishDatabase(starting, database.url());
  const children = early ?? startAll();
  database.postgres?.onMove((url) => {
    noteFailure(log, () =>
      runtimeFile.write(dataDir, { pid: process.pid, base_url: baseUrl, database_url: url }),
    );
    for (const child of children) child.restart();
  });
  return { account, onAnswer: answers.resolve };
}

/** Records the database that is used, warns when it is another than before, and writes how it is reached. */
function publishDatabase({ config, dataDir, baseUrl, log, undo }: Starting, databaseUrl: string): void {
  const before = recordDatabase(dataDir, config.databaseUrl);
  if (before !== undefined) {
    const database = nameDatabase(databaseUrl);
    log.note('warn', 'another database than at the last start', { database, before });
  }
  runtimeFile.write(dataDir, { pid: process.pid, base_url: baseUrl, database_url: databaseUrl });
  undo.push(() => runtimeFile.remove(dataDir));
}

/** Resolves when the service is ready; then writes the address and the first credentials. */
async function announceReady(
  { input, config, dataDir, port, log, undo }: Starting,
  { account, onAnswer }: Awaited<ReturnType<typeof startProcesses>>,
): Promise<void> {
  const stopping = new AbortController();
  undo.push(() => stopping.abort());
  // Without workers nothing is ready for work, but the API answers.
  const probe = input.isStill === true ? '/healthz' : '/readyz';
  await becomesReady({ baseUrl: localUrl(config.host, port), probe }, stopping.signal, (reason) =>
    log.note('warn', 'not ready yet', { reason }),
  );
  if (input.isStill === true) log.note('info', 'still: nothing runs until a start without --still', {});
  onAnswer();
  if (stopping.signal.aborted) return;
  const { credentials, isNew, signInUrl } = account;
  input.write(readyBlock({ credentials, isNew, signInUrl, dataDir, isTerminal: input.isTerminal }));
}

/** Logs a failed write. A full disk, which also stops Postgres, must not end the supervisor. */
function noteFailure(log: LogSink, write: () => void): void {
  try {
    write();
  } catch (error) {
    log.note('warn', 'a file of the data folder could not be written', { reason: String(error) });
  }
}

function startChildren(
  specs: ProcessSpec[],
  { log, pidsFile, undo }: Starting,
  postgres: SupervisedPostgres | undefined,
): SupervisedProcess[] {
  const pids = new Map<string, number>([['supervisor', process.pid]]);
  const publish = (name: string, pid: number | undefined): void => {
    if (pid === undefined) pids.delete(name);
    else pids.set(name, pid);
    noteFailure(log, () => writePrivateJson(pidsFile, Object.fromEntries(pids)));
  };
  postgres?.onPid((pid) => publish('postgres', pid));
  const children = specs.map((spec) => supervise(spec, { log, onPid: publish }));
  undo.push(async () => {
    await Promise.all(children.map((child) => child.stop(CHILDREN_STOP_MS)));
  });
  return children;
}

/** The processes of one machine: API, scheduler and the configured number of workers. */
function serviceTable(config: Config, env: () => NodeJS.ProcessEnv): ProcessSpec[] {
  const workers = Array.from({ length: config.workers }, (_, index) => ({
    name: index === 0 ? 'worker' : `worker-${index + 1}`,
    entry: entryFile('worker'),
    // DNS look-ups and large decompressions share libuv's threads; the default is 4.
    env: () => ({ UV_THREADPOOL_SIZE: '32', ...env() }),
  }));
  return [
    { name: 'api', entry: entryFile('api'), env },
    ...workers,
    { name: 'scheduler', entry: entryFile('scheduler'), env },
  ].filter((spec) => existsSync(spec.entry));
}
