import { AppError, toStoredError } from '@gleaner/contracts';
import {
  endPatiently,
  inWay,
  openSpec,
  readTraceparent,
  type AccountGroups,
  type EndingRequest,
  type Groups,
  type Logger,
  type Metrics,
  type RequestEnd,
  type RequestKey,
  type Start,
  type StartedRequest,
  type TaskOutcome,
  type TaskSpec,
  type Tracer,
  renewRequests,
  REQUEST_LEASE_MS,
  type Services,
} from '@gleaner/core';
import { interactiveQueue, type QueueName } from '@gleaner/queue';
import type { Cancellations } from '../cancellations.ts';
import type { LargeWrites } from '../load/large-writes.ts';
import type { OutcomeBudget } from '../load/outcome-budget.ts';
import { climbOf } from '../tasks/attempt-task.ts';
import type { TaskExecutor } from '../tasks/execute-task.ts';

/** Often enough that one failed renewal does not lose the lease. */
const RENEW_MS = REQUEST_LEASE_MS / 3;

/** The leases of all requests that this process runs, renewed by one statement. */
export interface RequestLeases {
  /**
   * Renews the lease of a started request.
   * @param lose called when this process no longer has it: the work must stop
   * @returns a function that ends the renewals
   */
  hold(key: RequestKey, lose: (reason: string) => void): () => void;
  close(): void;
}

interface Held extends RequestKey {
  until: number;
  lose: (reason: string) => void;
}

export function createRequestLeases(deps: Pick<Services, 'db'> & { log: Logger }): RequestLeases {
  const held = new Map<string, Held>();

  const renew = async (): Promise<void> => {
    const asked = new Map(held);
    const sentAt = Date.now();
    try {
      const { renewed, lost } = await renewRequests(deps, [...asked.values()]);
      for (const id of renewed) {
        const lease = asked.get(id);
        if (lease) lease.until = sentAt + REQUEST_LEASE_MS;
      }
      for (const id of lost) {
        const lease = asked.get(id);
        if (lease && held.get(id) === lease) lease.lose('the lease was lost');
      }
    } catch (error) {
      deps.log.warn({ err: error, count: asked.size }, 'leases were not renewed');
    }
    for (const lease of held.values()) {
      if (Date.now() > lease.until - RENEW_MS / 2) lease.lose('the lease ran out');
    }
  };
  const timer = setInterval(() => {
    if (held.size > 0) void renew();
  }, RENEW_MS);
  timer.unref();

  return {
    hold: (key, lose) => {
      held.get(key.id)?.lose('another attempt has begun');
      const lease = { ...key, until: Date.now() + REQUEST_LEASE_MS, lose };
      held.set(key.id, lease);
      return () => {
        if (held.get(key.id) === lease) held.delete(key.id);
      };
    },
    close: () => clearInterval(timer),
  };
}

export interface RequestHandlerDeps {
  log: Logger;
  tracer: Tracer;
  /** Requests are taken and ended in groups. */
  starter: Groups<RequestKey, Start>;
  ender: AccountGroups<EndingRequest, boolean>;
  /** Opens the headers and cookies of requests. */
  secretKey: string | undefined;
  executor: TaskExecutor;
  /** Lets a request go on by another way. */
  climb: (key: RequestKey, to: { way: number; queue: QueueName }) => Promise<void>;
  leases: RequestLeases;
  cancellations: Cancellations;
  metrics: Metrics;
  outcomes: Pick<OutcomeBudget, 'watch'>;
  largeWrites: LargeWrites;
}

/** The least time that another way is begun with. */
const LEAST_MS = 2_000;

function toEnd(outcome: TaskOutcome, { spec: { climb } }: StartedRequest): RequestEnd {
  const way = climb?.at;
  return outcome.ok
    ? { state: 'succeeded', answer: outcome.answer, price: outcome.price }
    : { state: 'failed', error: { ...outcome.error, ...(way === undefined ? {} : { way }) } };
}

/** Lets the request go on by another way. @returns false when it has none, or too little time is left */
async function climb(
  deps: RequestHandlerDeps,
  key: RequestKey,
  outcome: TaskOutcome,
  { spec, deadlineAt }: StartedRequest,
): Promise<boolean> {
  const next = outcome.ok ? undefined : outcome.next;
  const way = next === undefined ? undefined : spec.climb?.ways[next];
  if (next === undefined || way === undefined || deadlineAt - Date.now() < LEAST_MS) return false;
  await deps.climb(key, { way: next, queue: interactiveQueue(way.useBrowser ? 'browser' : 'http') });
  return true;
}

/** Logs and sends the span of a request that belongs to a trace. @returns a function that ends it */
function trace({ log, tracer }: RequestHandlerDeps, id: string, spec: StartedRequest['spec']) {
  const parent = readTraceparent(spec.trace);
  if (parent === undefined) return () => undefined;
  const startedAt = performance.now();
  const span = tracer.start('request', { parent, kind: 'consumer' });
  return (outcome: TaskOutcome): void => {
    const result = outcome.ok ? 'succeeded' : outcome.error.code;
    span.end({
      attributes: { 'gleaner.request_id': id, 'gleaner.outcome': result },
      ...(outcome.ok ? {} : { error: outcome.error.code }),
    });
    const { traceId } = span.context;
    const ms = Math.round(performance.now() - startedAt);
    log.info({ requestId: id, traceId, outcome: result, ms }, 'request of a trace ended');
  };
}

async function execute(
  deps: RequestHandlerDeps,
  { accountId, deadlineAt, spec }: StartedRequest,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<TaskOutcome> {
  let opened: TaskSpec;
  try {
    opened = openSpec(spec, { secretKey: deps.secretKey, id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    deps.log.error(
      { err: error, requestId: id },
      'the headers and cookies of a request could not be decrypted',
    );
    return { ok: false, error: toStoredError(error) };
  }
  const { climb: { ways, at } = { ways: undefined, at: 0 } } = opened;
  const inItsWay = { ...opened, config: inWay({ ...opened.config, ways }, at) };
  return deps.executor.execute(inItsWay, {
    accountId,
    deadlineAt,
    signal,
    attempts: 'config',
    climb: climbOf(opened.climb, { accountId, target: opened.target, url: String(opened.input.url) }),
  });
}

/**
 * Runs one interactive request: starts it, runs the task, stores the result. A worker that loses the lease stops, because
 * another attempt has begun and the fence rejects this one's writes.
 */
export async function handleRequest(deps: RequestHandlerDeps, { id, attempt }: RequestKey): Promise<void> {
  const started = await deps.starter.call({ id, attempt });
  if (!started) return;
  const work = deps.cancellations.watch(id);
  const releaseLease = deps.leases.hold({ id, attempt }, work.abort);
  try {
    const endTrace = trace(deps, id, started.spec);
    const outcome = await execute(deps, started, { id, signal: work.signal });
    endTrace(outcome);
    deps.metrics.tasks.inc({ kind: 'request', outcome: outcome.ok ? 'succeeded' : outcome.error.code });
    if (await climb(deps, { id, attempt }, outcome, started)) return;
    const length = outcome.ok ? outcome.answer.length : 0;
    const end = { id, accountId: started.accountId, attempt, end: toEnd(outcome, started) };
    const forgetHeld = deps.outcomes.watch(started.accountId, () => length);
    await deps
      .largeWrites(started.accountId, length, () => endPatiently(deps.ender, end))
      .finally(forgetHeld);
  } catch (error) {
    if (!work.signal.aborted) throw error;
    deps.log.info({ requestId: id, reason: String(work.signal.reason) }, 'request stopped');
  } finally {
    releaseLease();
    work.forget();
  }
}
