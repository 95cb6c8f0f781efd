import {
  endRequest,
  renewRequest,
  REQUEST_LEASE_MS,
  startRequest,
  type Logger,
  type Metrics,
  type RequestEnd,
  type Services,
  type TaskOutcome,
} from '@gleaner/core';
import type { Cancellations } from '../cancellations.ts';
import type { TaskExecutor } from '../tasks/execute-task.ts';

/** Often enough that one failed renewal does not lose the lease. */
const RENEW_MS = REQUEST_LEASE_MS / 3;

export interface RequestHandlerDeps extends Pick<Services, 'db' | 'queue'> {
  log: Logger;
  workerId: string;
  /** Opens the headers and cookies of requests. */
  secretKey: string | undefined;
  executor: TaskExecutor;
  cancellations: Cancellations;
  metrics: Metrics;
}

function toEnd(outcome: TaskOutcome): RequestEnd {
  return outcome.ok
    ? { state: 'succeeded', answer: outcome.answer }
    : { state: 'failed', error: outcome.error };
}

/**
 * Runs one interactive request: starts it, renews its lease, runs the task, stores the result. A worker that loses the
 * lease stops, because another attempt has begun and the fence rejects this one's writes.
 */
export async function handleRequest(
  deps: RequestHandlerDeps,
  delivery: { id: string; attempt: number },
): Promise<void> {
  const { id, attempt } = delivery;
  const started = await startRequest(deps, {
    id,
    attempt,
    workerId: deps.workerId,
    secretKey: deps.secretKey,
  });
  if (!started) return;
  const work = deps.cancellations.watch(id);
  let leaseUntil = Date.now() + REQUEST_LEASE_MS;
  const renewal = setInterval(() => {
    renewRequest(deps, delivery)
      .then((isOurs) => {
        if (isOurs) leaseUntil = Date.now() + REQUEST_LEASE_MS;
        else work.abort('the lease was lost');
      })
      .catch((error: unknown) => {
        deps.log.warn({ err: error, requestId: id }, 'a lease was not renewed');
        if (Date.now() > leaseUntil - RENEW_MS / 2) work.abort('the lease ran out');
      });
  }, RENEW_MS);
  try {
    const outcome = await deps.executor.execute(started.spec, {
      accountId: started.accountId,
      deadlineAt: started.deadlineAt,
      signal: work.signal,
      attempts: 'config',
    });
    deps.metrics.tasks.inc({ kind: 'request', outcome: outcome.ok ? 'succeeded' : outcome.error.code });
    await endRequest(deps, id, attempt, toEnd(outcome));
  } catch (error) {
    if (!work.signal.aborted) throw error;
    deps.log.info({ requestId: id, reason: String(work.signal.reason) }, 'request stopped');
  } finally {
    clearInterval(renewal);
    work.forget();
  }
}
