import {
  AppError,
  fromStoredError,
  priceOf,
  usesBrowser,
  DEFAULT_PRICES,
  type JsonText,
} from '@gleaner/contracts';
import { interactiveQueue } from '@gleaner/queue';
import type { Context, Services } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import type { CurrentParsers } from '../../parsers/current-parsers.ts';
import type { TaskSpec } from '../tasks/task-spec.ts';
import { CLIENT_LEFT, endPatiently, type RequestEnd } from './end-requests.ts';
import type { Interactive } from './open-interactive.ts';
import { requireProxyTier } from '../submission/require-proxy-tier.ts';
import { StaleParserError, submitOrRefuse } from './submission-refusal.ts';
import type { NewRequest } from './submit-requests.ts';

/** The specification's limit on a scrape; it includes the time in the queue. */
export const REQUEST_TIMEOUT_MS = 120_000;

/** What an API process has beyond the rest. */
export interface InteractiveServices extends Services {
  interactive: Interactive;
  currentParsers: CurrentParsers;
}

export interface RequestOptions {
  /** Credits; by default what the task's fetch costs. */
  price?: number;
  /** Refuses the request when the parser has changed since it was read. */
  parser?: NonNullable<NewRequest['parser']>;
}

/**
 * Runs one task on the interactive queue and waits for its answer. Sets the context's credits. When the client goes
 * away the work is cancelled; nothing that failed is charged.
 * @throws StaleParserError when the parser has changed: nothing was submitted
 */
export async function runRequest(
  ctx: Context<InteractiveServices>,
  spec: TaskSpec,
  options: RequestOptions = {},
): Promise<JsonText> {
  const { services, accountId, signal } = ctx;
  const { interactive, config } = services;
  requireProxyTier(config, spec.config);
  const price = options.price ?? priceOf(spec.config, { ...DEFAULT_PRICES, ...config.prices });
  const id = createId('request');
  const queue = interactiveQueue(usesBrowser(spec.config) ? 'browser' : 'http');
  const deadlineAt = Date.now() + REQUEST_TIMEOUT_MS;
  const end = (as: RequestEnd): Promise<boolean> =>
    endPatiently(interactive.ender, { id, accountId, attempt: null, end: as });
  const request: NewRequest = {
    id,
    accountId,
    kind: 'task',
    queue,
    price,
    timeoutMs: REQUEST_TIMEOUT_MS,
    spec,
    ...(options.parser === undefined ? {} : { parser: options.parser }),
  };
  const submission = await submitOrRefuse(interactive, request).catch(async (error: unknown) => {
    // When the connection broke it may be there all the same: nobody would read the answer that it is charged for.
    if (isUncertain(error)) await end(CLIENT_LEFT).catch(() => undefined);
    throw error;
  });
  const answered = interactive.answers.wait(id, {
    queue,
    accountId,
    rank: submission.rank,
    deadlineAt,
    signal,
  });
  // The client may go away before the delivery below is done: until then nobody else hears of it.
  answered.catch(() => undefined);
  try {
    await submission.delivered.catch((cause: unknown) => failUndelivered(ctx, end, cause));
    const ended = await answered;
    if (ended.state !== 'succeeded') throw fromStoredError(ended.error);
    ctx.credits = { used: price, remaining: ended.balance };
    return { jsonText: ended.answer };
  } catch (error) {
    if (signal.aborted) await end(CLIENT_LEFT);
    throw error;
  }
}

/** A refusal is certain: nothing was written. */
function isUncertain(error: unknown): boolean {
  return !(error instanceof AppError || error instanceof StaleParserError);
}

/** @throws AppError always: the request is ended, uncharged */
async function failUndelivered(
  ctx: Context,
  end: (as: RequestEnd) => Promise<boolean>,
  cause: unknown,
): Promise<never> {
  const failure = new AppError('temporarily_unavailable', {
    detail: 'the queue is away',
    retryAfterSeconds: 5,
    cause,
  });
  ctx.log.error({ err: cause, requestId: ctx.requestId }, 'a request did not reach the queue');
  await end({
    state: 'failed',
    error: { code: failure.code, detail: 'the queue is away', retryAfterSeconds: 5 },
  });
  throw failure;
}
