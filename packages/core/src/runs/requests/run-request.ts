import {
  AppError,
  fromStoredError,
  priceOf,
  usesBrowser,
  DEFAULT_PRICES,
  type JsonText,
} from '@gleaner/contracts';
import { interactiveQueue, requestDelivery, type QueueName } from '@gleaner/queue';
import type { Context, Services } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { sealConfig } from '../tasks/sealed-config.ts';
import type { TaskSpec } from '../tasks/task-spec.ts';
import type { AnswerInbox } from './answer-inbox.ts';
import { cancelRequest, endRequest } from './request-lease.ts';

/** The specification's limit on a scrape; it includes the time in the queue. */
export const REQUEST_TIMEOUT_MS = 120_000;

/** What an API process has beyond the rest. */
export interface InteractiveServices extends Services {
  answers: AnswerInbox;
}

interface Submitted {
  outcome: 'queued' | 'waiting' | 'credits' | 'concurrency';
  available: string;
  slots: number;
}

async function submit(
  ctx: Context<InteractiveServices>,
  input: { id: string; queue: QueueName; spec: TaskSpec; price: number },
): Promise<Submitted> {
  const { db, answers, config } = ctx.services;
  const spec = { ...input.spec, config: sealConfig(input.spec.config, { ...config, id: input.id }) };
  const [row] = await db.sql<Submitted[]>`
    SELECT * FROM engine.submit_request(
      p_id => ${input.id}, p_account => ${ctx.accountId}, p_queue => ${input.queue}, p_price => ${input.price},
      p_spec => ${JSON.stringify(spec)}::json, p_waiter => ${answers.instanceId},
      p_timeout_ms => ${REQUEST_TIMEOUT_MS})`;
  if (!row) throw new Error('submit_request returned nothing');
  return row;
}

/** @throws AppError for work that may not begin */
function refuse(submitted: Submitted, price: number): void {
  if (submitted.outcome === 'credits') {
    throw new AppError('insufficient_credits', {
      members: { required: price, available: Number(submitted.available) },
    });
  }
  if (submitted.outcome === 'concurrency') {
    throw new AppError('concurrency_limit_exceeded', {
      detail: `${submitted.slots} requests are executing`,
      retryAfterSeconds: 1,
    });
  }
}

/**
 * Runs one task on the interactive queue and waits for its answer. Sets the context's credits. When the client goes
 * away the work is cancelled; nothing that failed is charged.
 * @param price credits; by default what the task's fetch costs
 */
export async function runRequest(
  ctx: Context<InteractiveServices>,
  spec: TaskSpec,
  price: number = priceOf(spec.config, { ...DEFAULT_PRICES, ...ctx.services.config.prices }),
): Promise<JsonText> {
  const { services } = ctx;
  const id = createId('request');
  const queue = interactiveQueue(usesBrowser(spec.config) ? 'browser' : 'http');
  const deadlineAt = Date.now() + REQUEST_TIMEOUT_MS;
  const submitted = await submit(ctx, { id, queue, spec, price }).catch(async (error: unknown) => {
    // When the connection broke it may be there all the same: nobody would read the answer that it is charged for.
    await cancelRequest(services, id).catch(() => undefined);
    throw error;
  });
  refuse(submitted, price);
  const answered = services.answers.wait(id, { queue, deadlineAt, signal: ctx.signal });
  // The client may go away before the delivery below is done: until then nobody else hears of it.
  answered.catch(() => undefined);
  try {
    if (submitted.outcome === 'queued') await deliver(ctx, queue, id);
    const ended = await answered;
    if (ended.state !== 'succeeded') throw fromStoredError(ended.error);
    ctx.credits = { used: price, remaining: ended.balance };
    return { jsonText: ended.answer };
  } catch (error) {
    if (ctx.signal.aborted) await cancelRequest(services, id);
    throw error;
  }
}

async function deliver(ctx: Context<InteractiveServices>, queue: QueueName, id: string): Promise<void> {
  try {
    await ctx.services.queue.deliver([requestDelivery(queue, id, 1)]);
  } catch (cause) {
    const failure = new AppError('temporarily_unavailable', {
      detail: 'the queue is away',
      retryAfterSeconds: 5,
      cause,
    });
    ctx.log.error({ err: cause, requestId: ctx.requestId }, 'a request did not reach the queue');
    await endRequest(ctx.services, id, null, {
      state: 'failed',
      error: { code: failure.code, detail: 'the queue is away', retryAfterSeconds: 5 },
    });
    throw failure;
  }
}
