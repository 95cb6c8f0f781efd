import {
  AppError,
  fromStoredError,
  wayName,
  type JsonText,
  type ScrapeConfig,
  type Way,
} from '@gleaner/contracts';
import { interactiveQueue } from '@gleaner/queue';
import type { Context, Services } from '../../platform/context.ts';
import { creditsOf } from '../../accounts/credits/credits.ts';
import { createId } from '../../platform/ids.ts';
import type { CurrentParsers } from '../../parsers/current-parsers.ts';
import { sealSpec } from '../tasks/sealed-spec.ts';
import type { TaskSpec } from '../tasks/task-spec.ts';
import { CLIENT_LEFT, endPatiently, type RequestEnd, type EndedRequest } from './end-requests.ts';
import { QUEUE_AWAY } from './answer-inbox.ts';
import type { Interactive } from './open-interactive.ts';
import { dearestOf, planWays, type Asked } from '../submission/plan-ways.ts';
import { inWay } from '../tasks/run-config.ts';
import { StaleParserError, submitOrRefuse, type NewRequest } from './submit-requests.ts';

/** The specification's time limit of a scrape, including the time in the queue. */
export const REQUEST_TIMEOUT_MS = 120_000;

/** Services that only API processes have. */
export interface InteractiveServices extends Services {
  interactive: Interactive;
  currentParsers: CurrentParsers;
}

export interface RequestOptions {
  /** Price in credits. Default: the price of the task's fetch. */
  price?: number;
  /** Makes the request fail when the parser changed after it was read. */
  parser?: NonNullable<NewRequest['parser']>;
  /** How the page is asked for and what reads it, for the checks of its configuration. */
  asked?: Asked;
}

/**
 * Runs one task on the interactive queue and waits for its answer. Sets the context's credits. With `escalate` the
 * request goes on by dearer ways, for the dearest of which credits are reserved. When the client goes away the work is cancelled; nothing that failed is
 * charged, nor a preview that found nothing.
 * @throws AppError temporarily_unavailable when the operator has paused its queue, or there are headers or cookies and no
 * key to encrypt them; as planWays
 * @throws StaleParserError when the parser has changed: nothing was submitted
 */
export async function runRequest(
  ctx: Context<InteractiveServices>,
  spec: TaskSpec,
  options: RequestOptions = {},
): Promise<JsonText> {
  noteIgnored(ctx, spec.config);
  const ways = planWays(ctx.services.config, spec.config, options.asked);
  const deadlineAt = Date.now() + REQUEST_TIMEOUT_MS;
  const price = options.price ?? dearestOf(ways);
  const climb =
    ways.length === 1 ? {} : { config: inWay({ ...spec.config, ways }, 0), climb: { ways, at: 0 } };
  const ended = await runOnce(ctx, { ...spec, ...climb }, { ...options, way: ways[0], price, deadlineAt });
  // No two ways cost the same.
  const way =
    ended.state === 'succeeded'
      ? ways.find(({ price: own }) => own === ended.price)
      : ways[ended.error.way ?? 0];
  if (options.price === undefined) ctx.fetchedBy = wayName(way ?? ways[0]);
  if (ended.state === 'succeeded') {
    ctx.credits = { used: ended.price ?? price, remaining: ended.balance };
    return { jsonText: ended.answer };
  }
  const { shown } = ended.error;
  if (shown === undefined) throw fromStoredError(ended.error);
  await creditsOf(ctx);
  return { jsonText: shown };
}

/** A client waits for a scrape, so it keeps no pace. */
function noteIgnored(ctx: Context, config: ScrapeConfig): void {
  const ignored = (['hostDelaySeconds', 'hostConcurrency'] as const).filter(
    (name) => config[name] !== undefined,
  );
  if (ignored.length === 0) return;
  ctx.notes = `${ignored.join(' and ')} ${ignored.length > 1 ? 'are' : 'is'} ignored on scrapes`;
}

/** One request of a task. */
interface Attempt extends Pick<RequestOptions, 'parser'> {
  way: Way;
  /** Credits that are reserved. */
  price: number;
  deadlineAt: number;
}

async function runOnce(
  ctx: Context<InteractiveServices>,
  spec: TaskSpec,
  { way, price, parser, deadlineAt }: Attempt,
): Promise<EndedRequest> {
  const { services, accountId, signal } = ctx;
  const { interactive, config } = services;
  const id = createId('request');
  const queue = interactiveQueue(way.useBrowser ? 'browser' : 'http');
  await interactive.refusePaused(queue);
  const end = (as: RequestEnd): Promise<boolean> =>
    endPatiently(interactive.ender, { id, accountId, attempt: null, end: as });
  const request: NewRequest = {
    id,
    accountId,
    kind: 'task',
    queue,
    price,
    timeoutMs: Math.max(deadlineAt - Date.now(), 1),
    spec: sealSpec(ctx.trace === undefined ? spec : { ...spec, trace: ctx.trace }, {
      secretKey: config.secretKey,
      id,
    }),
    ...(parser === undefined ? {} : { parser }),
    origin: originOf(ctx.keyId, spec),
  };
  const submission = await submitOrRefuse(interactive, request).catch(async (error: unknown) => {
    // After a lost connection, the request may exist. It must end, because no client would read the charged answer.
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
  // The client may disconnect before the delivery below is done; until then, no other process is notified.
  answered.catch(() => undefined);
  try {
    await submission.delivered.catch((cause: unknown) => failUndelivered(ctx, end, cause));
    const ended = await answered;
    if (ended.state === 'admitted') throw new Error('a task has no slot of its own');
    return ended;
  } catch (error) {
    if (signal.aborted) await end(CLIENT_LEFT);
    throw error;
  }
}

function originOf(key: string, { target, input: { url } }: TaskSpec): NonNullable<NewRequest['origin']> {
  return {
    key,
    parser: 'parserId' in target ? target.parserId : undefined,
    // Of a URL that was checked.
    host: typeof url === 'string' ? URL.parse(url)?.host : undefined,
  };
}

/** Whether the request was certainly refused, so that nothing was written. */
function isUncertain(error: unknown): boolean {
  return !(error instanceof AppError || error instanceof StaleParserError);
}

/** @throws AppError always: the request is ended, uncharged */
async function failUndelivered(
  ctx: Context,
  end: (as: RequestEnd) => Promise<boolean>,
  cause: unknown,
): Promise<never> {
  const { code, ...options } = QUEUE_AWAY;
  ctx.log.error({ err: cause, requestId: ctx.requestId }, 'a request did not reach the queue');
  await end({ state: 'failed', error: QUEUE_AWAY });
  throw new AppError(code, { ...options, cause });
}
