import type { Database } from '@gleaner/db';
import { ALIVE_SECONDS, canaryAgeSeconds, listLiveWorkers } from '../workers/heartbeat.ts';
import { BROWSER_SANDBOX } from '../metrics/metrics.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout, ENGINES } from '@gleaner/contracts';
import { interactiveQueue, type Engine } from '@gleaner/queue';
import type { Services } from '../context.ts';
import { readPausedQueues } from './paused-queues.ts';

/**
 * Whether Chromium's sandbox holds in all live workers that have loaded a page in a browser; undefined when none has.
 * Workers report it with their metrics.
 */
export async function readSandbox(db: Database): Promise<'on' | 'off' | undefined> {
  const path = `$[*] ? (@.name == "${BROWSER_SANDBOX}").values[*].labels.state`;
  const rows = await db.sql<{ state: string }[]>`
    SELECT DISTINCT jsonb_path_query(metrics, ${path}::jsonpath) #>> '{}' AS state FROM gleaner.workers
    WHERE metrics IS NOT NULL AND seen_at > now() - ${ALIVE_SECONDS} * interval '1 second'`;
  if (rows.length === 0) return undefined;
  return rows.every(({ state }) => state === 'on') ? 'on' : 'off';
}

/** A queue counts as served when a worker consumed a canary within this time. */
const FRESH_SECONDS = 5;
const CANARY_WAIT_MS = 3_000;
const ANSWER_WITHIN_MS = 3_000;

export interface Readiness {
  ready: boolean;
  /** `ok`, or the fault. */
  checks: Record<string, string>;
}

type ReadinessServices = Pick<Services, 'db' | 'queue'>;

function within(work: Promise<unknown>): Promise<string> {
  const answer = work.then(
    () => 'ok',
    () => 'no connection',
  );
  return withTimeout(answer, ANSWER_WITHIN_MS, () => 'no answer within 3 s');
}

/** Checks that a worker recently consumed a canary of this queue. */
async function isConsumed({ db, queue }: ReadinessServices, engine: Engine): Promise<string> {
  const name = interactiveQueue(engine);
  const isFresh = async (): Promise<boolean> => {
    const age = await canaryAgeSeconds(db, name);
    return age !== null && age < FRESH_SECONDS;
  };
  if (await isFresh()) return 'ok';
  await queue.deliver([{ queue: name, jobId: `canary-${Date.now()}`, payload: { kind: 'canary' } }]);
  for (let waitedMs = 0; waitedMs < CANARY_WAIT_MS; waitedMs += 50) {
    await delay(50);
    if (await isFresh()) return 'ok';
  }
  return 'no worker consumes its jobs';
}

/** Checks that report a state, but don't decide whether work would be done. */
const INFORMATION = /^(worker_wrk_|queue_|browser_sandbox$)/;

const SANDBOX_STATES = {
  on: 'on',
  off: 'OFF: a hostile page that breaks out of Chromium reaches the worker (docs/operate/fetching.md)',
  untried: 'not known until a browser has loaded a page',
};

/** Checks that work would be done now: Postgres and the queue answer, and a worker consumes. */
export async function readiness(services: ReadinessServices): Promise<Readiness> {
  const [postgres, queue] = await Promise.all([
    within(services.db.sql`SELECT 1`.execute()),
    within(services.queue.ping()),
  ]);
  const checks: Record<string, string> = { postgres, queue };
  if (postgres === 'ok' && queue === 'ok') {
    const workers = await listLiveWorkers(services.db);
    const engines = new Set(workers.flatMap((worker) => worker.engines));
    if (engines.has('browser'))
      checks['browser_sandbox'] = SANDBOX_STATES[(await readSandbox(services.db)) ?? 'untried'];
    const paused = await readPausedQueues(services.db);
    for (const name of paused) checks[`queue_${name}`] = 'paused by the operator';
    // Nobody consumes a canary of a paused queue. Browser workers are optional; plain fetching is required.
    const expected = ENGINES.filter(
      (engine) => !paused.has(interactiveQueue(engine)) && (engine === 'http' || engines.has(engine)),
    );
    const states = await Promise.all(expected.map((engine) => isConsumed(services, engine)));
    for (const [index, engine] of expected.entries()) checks[`worker_${engine}`] = states[index] ?? '';
    for (const worker of workers) {
      if (worker.refuses !== null) checks[`worker_${worker.id}`] = worker.refuses;
    }
  }
  const required = Object.entries(checks).filter(([name]) => !INFORMATION.test(name));
  return { ready: required.every(([, state]) => state === 'ok'), checks };
}
