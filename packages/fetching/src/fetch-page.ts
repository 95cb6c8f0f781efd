import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, actionWaitSeconds, type AppErrorOptions, type ScrapeConfig } from '@gleaner/contracts';
import { parseTargetUrl } from './egress/target-url.ts';
import type { Crawler } from './crawler.ts';
import type { FetchedPage, FetchMetrics, FetchRequest } from './fetch-types.ts';
import type { HostStrikes } from './host-strikes.ts';
import { requireText } from './http/content-type.ts';
import { headerText, type HeaderMap } from './http/exchange.ts';
import { toFetchFailure, withLimit } from './http/fetch-failure.ts';
import { mergeHeaders, withoutCredentials } from './http/request-headers.ts';
import type { HttpResponse } from './http/http-engine.ts';
import type { MemoryAdmission } from './memory-admission.ts';
import { planAttempt, type AttemptPlan, type PageLoader, type PageRequest } from './page-attempt.ts';
import { HostBusyError } from './politeness/host-busy.ts';
import { createVisits } from './politeness/host-visits.ts';
import type { Politeness } from './politeness/politeness.ts';
import { ProxyFault } from './proxies/proxy-rests.ts';
import { createRedirectCheck } from './redirect-check.ts';
import type { ProxyTiers } from './proxies/proxy-tiers.ts';
import { attemptsOf, withRetries, isTransientStatus, readRetryAfter } from './retries.ts';
import type { Robots } from './robots.ts';
import { detectBlock, type Block, type SeenPage } from './blocks/detect-block.ts';

function retryAfterOf({ headers }: SeenPage): number | undefined {
  const retryAfterMs = readRetryAfter(headers);
  return retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
}

function errorStatus(page: SeenPage): AppError {
  return new AppError('fetch_failed', {
    detail: `the target answered with status ${page.status}`,
    hint: isTransientStatus(page.status)
      ? 'The target has a fault or is busy: try again later.'
      : 'Open the url in a browser to see whether it is right.',
    retryable: isTransientStatus(page.status),
    retryAfterSeconds: retryAfterOf(page),
  });
}

/** The advice about a block. */
function hintFor(page: SeenPage, { kind }: Block): string {
  if (kind === 'status' && page.status === 429) {
    const seconds = retryAfterOf(page);
    return `The target asks for fewer requests: wait ${seconds === undefined ? 'a while' : `${seconds} seconds`}, then try again.`;
  }
  if (kind === 'login_wall' || page.status === 401) return 'Gleaner does not fetch pages behind a login.';
  return 'Try a higher proxy tier or the browser.';
}

/** A block of the target. */
export class BlockedError extends AppError {
  /** Whether another client or address may be let in. */
  readonly canClimb: boolean;

  constructor(canClimb: boolean, options: AppErrorOptions) {
    super('target_blocked', options);
    this.canClimb = canClimb;
  }
}

/** A login and a request for fewer requests hold for every client. */
function canClimb({ status }: SeenPage, { kind }: Block): boolean {
  return kind !== 'login_wall' && status !== 401 && !(kind === 'status' && status === 429);
}

/**
 * Throws unless the response is a page that may be extracted and charged: `target_blocked` with the evidence, or
 * `fetch_failed` with the status. With `canChangeIdentity`, a retry would use another proxy.
 */
function requirePage(
  page: SeenPage,
  {
    allowStatuses,
    canChangeIdentity,
    isLastAttempt,
  }: { allowStatuses?: readonly number[] | 'any'; canChangeIdentity: boolean; isLastAttempt: boolean },
): void {
  if (allowStatuses === 'any') {
    const isDown = page.status >= 500 && isTransientStatus(page.status) && detectBlock(page) === undefined;
    if (isDown && !isLastAttempt) throw errorStatus(page);
    return;
  }
  const isAllowed = allowStatuses?.includes(page.status) === true;
  const block = isAllowed && page.status >= 400 ? undefined : detectBlock(page);
  if (block !== undefined) {
    throw new BlockedError(canClimb(page, block), {
      detail: block.evidence,
      retryable: canChangeIdentity || page.status === 429 || page.status === 503,
      retryAfterSeconds: retryAfterOf(page),
      hint: hintFor(page, block),
    });
  }
  if (isAllowed || (page.status >= 200 && page.status < 300)) return;
  throw errorStatus(page);
}

interface PageFetchDeps {
  load: PageLoader;
  tiers: ProxyTiers;
  politeness: Politeness;
  strikes: HostStrikes;
  memory: MemoryAdmission;
  robots: Robots;
  crawler: Crawler;
  metrics: FetchMetrics | undefined;
  now: () => number;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
const MEMORY_PATIENCE_MS = 10_000;
const MEMORY_POLL_MS = 200;

const KEPT_HEADERS = ['content-type', 'content-language', 'last-modified', 'etag', 'link', 'x-robots-tag'];

function keepHeaders(headers: HeaderMap): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    if (headers[name] !== undefined) kept[name] = headerText(headers, name);
  }
  return kept;
}

/** A browser page may cost a hundred megabytes, so it waits for memory. Throws `temporarily_unavailable`. */
async function requireMemory(memory: MemoryAdmission, { deadlineAt, signal }: FetchRequest): Promise<void> {
  const giveUpAt = Math.min(deadlineAt, Date.now() + MEMORY_PATIENCE_MS);
  while (!memory.state().isOpen) {
    if (Date.now() >= giveUpAt) {
      throw new AppError('temporarily_unavailable', {
        detail: 'the worker is short of memory',
        retryAfterSeconds: 10,
      });
    }
    await sleep(MEMORY_POLL_MS, undefined, { signal });
  }
}

/** The limit of one attempt, and the only limit on silence. Requested waits are added to the default. */
function attemptSeconds({ timeoutSeconds, waitSeconds = 0, actions }: ScrapeConfig): number {
  return timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS + waitSeconds + actionWaitSeconds(actions);
}

function toFetchedPage(
  { now }: PageFetchDeps,
  request: PageRequest,
  { engine }: AttemptPlan,
  response: HttpResponse,
  attempts: number,
): FetchedPage {
  return {
    url: request.url,
    finalUrl: response.finalUrl,
    status: response.status,
    contentType: response.contentType,
    headers: keepHeaders(response.headers),
    body: response.body,
    fetchedAt: new Date(now()).toISOString(),
    attempts,
    engine,
    ...(response.captures === undefined ? {} : { captures: response.captures }),
    ...(response.files === undefined ? {} : { files: response.files }),
    ...(request.visit === undefined ? {} : { robots: request.visit.notes(response.headers) }),
  };
}

/** Enters the host, loads the page once and requires that it is one. */
async function loadOnce(
  deps: PageFetchDeps,
  request: PageRequest,
  plan: AttemptPlan,
  attempt: number,
): Promise<FetchedPage> {
  const { target } = request;
  const timeoutMs = attemptSeconds(request.config) * 1_000;
  if (plan.engine === 'browser' && !deps.memory.state().isOpen) await requireMemory(deps.memory, request);
  const visits = createVisits(deps.politeness, request, timeoutMs);
  try {
    // Without a limit or pause there is no promise to wait for.
    const entered = visits.enter();
    if (entered !== undefined) {
      request.clock?.enter('host_wait');
      await entered;
    }
    const deadlineAt = Math.min(request.deadlineAt, Date.now() + timeoutMs);
    const response = await deps.load(visits.paced(plan), plan, deadlineAt);
    deps.strikes.note(request.accountId, target, response);
    plan.session?.markGood();
    requirePage(
      { ...response, url: target.href },
      {
        allowStatuses: request.allowStatuses,
        canChangeIdentity: plan.session !== undefined,
        isLastAttempt: attempt >= attemptsOf(request.config.retries, request.attempts),
      },
    );
    requireText(response.body, response.contentType, request.readsPdf === true);
    return toFetchedPage(deps, request, plan, response, attempt);
  } finally {
    request.clock?.leave();
    visits.leave();
  }
}

/** One attempt with its client and proxy session, which learns how it ended. */
async function attemptOnce(deps: PageFetchDeps, request: PageRequest, attempt: number): Promise<FetchedPage> {
  const startedAt = Date.now();
  const plan = planAttempt(request, deps.tiers);
  const { session, engine, tier } = plan;
  const count = (outcome: string): void =>
    deps.metrics?.fetched?.({
      engine,
      tier,
      host: request.target.host,
      outcome,
      tookMs: Date.now() - startedAt,
    });
  try {
    const page = await loadOnce(deps, request, plan, attempt);
    count('ok');
    return page;
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    const failure = withLimit(toFetchFailure(error), (Date.now() - startedAt) / 1_000);
    if (failure.code === 'target_blocked') session?.retire();
    if (failure instanceof ProxyFault) session?.markBad();
    // A host that may not be asked now was not asked.
    if (!(failure instanceof HostBusyError)) count(failure.code);
    throw failure;
  } finally {
    session?.release();
  }
}

/** What may be sent to an origin to which redirects led: in a browser no header of the page's own. */
function foreignConfig(config: ScrapeConfig): ScrapeConfig {
  const { 'user-agent': agent, ...headers } = mergeHeaders({}, config.headers);
  const kept = config.useBrowser === true ? {} : withoutCredentials(headers);
  return {
    ...config,
    cookies: undefined,
    headers: { ...kept, ...(agent === undefined ? {} : { 'user-agent': agent }) },
  };
}

function toPageRequest(request: FetchRequest, crawler: Crawler): PageRequest {
  const { mayFollow, redirected } = request;
  const target = parseTargetUrl(redirected?.url ?? request.url);
  const config = redirected?.isForeign === true ? foreignConfig(request.config) : request.config;
  const visit = request.crawler && crawler.visit(request, request.crawler.robots);
  const headers = visit && { 'user-agent': visit.userAgent, ...config.headers };
  return {
    ...request,
    target,
    config: headers === undefined ? config : { ...config, headers },
    checkRedirect: createRedirectCheck(target, mayFollow, visit?.check),
    visit,
  };
}

/** Throws RobotsRefusedError when the request follows a robots.txt that refuses the page. */
async function requireRobots(request: PageRequest, robots: Robots): Promise<void> {
  if (request.visit !== undefined) return request.visit.check(request.target);
  if (request.config.respectRobots !== true) return;
  const { refusal } = await robots.ask(request.target, request);
  if (refusal !== undefined) throw refusal;
}

/** Builds `Fetcher.fetchPage`: robots.txt, then attempts with back-off until one returns a page. */
export function createPageFetch(deps: PageFetchDeps): (request: FetchRequest) => Promise<FetchedPage> {
  return async (given) => {
    const request = toPageRequest(given, deps.crawler);
    await requireRobots(request, deps.robots);
    const attempts = attemptsOf(request.config.retries, request.attempts);
    if (attempts === 1) return attemptOnce(deps, request, 1);
    const { deadlineAt, signal } = request;
    return withRetries({ attempts, deadlineAt, signal }, (attempt) => attemptOnce(deps, request, attempt));
  };
}
