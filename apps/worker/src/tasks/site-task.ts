import { AppError, fromStoredError, isApiId, type ScrapeConfig } from '@gleaner/contracts';
import type { TaskOutcome, TaskSpec } from '@gleaner/core';
import type { ExtractionPool } from '@gleaner/threads';
import type { SiteResponse, SitesConfig, SiteStep } from '@gleaner/extractors/sites';
import { HostBusyError, type Fetcher } from '@gleaner/fetching';
import type { OutcomeBudget } from '../load/outcome-budget.ts';
import type { TimedRun } from './attempt-task.ts';

export interface SiteTaskDeps {
  fetcher: Fetcher;
  pool: ExtractionPool;
  sites: SitesConfig;
  outcomes: Pick<OutcomeBudget, 'read'>;
}

type FetchStep = Extract<SiteStep, { kind: 'fetch' }>;

const decoder = new TextDecoder();

/** A browser passes a challenge within seconds or not at all; a failed one must not use up the deadline. */
const BROWSER_STEP_MS = 30_000;

function isTimeout(error: unknown): boolean {
  return error instanceof AppError && error.code === 'fetch_timed_out';
}

async function fetchStep(
  { fetcher }: SiteTaskDeps,
  { request, mode }: FetchStep,
  { timeoutSeconds, retries }: ScrapeConfig,
  run: TimedRun,
): Promise<SiteResponse & { fetchedAt: string; bytes: number }> {
  const page = await fetcher.fetchPage({
    url: request.url,
    // A browser can only open pages, not send an API's JSON requests.
    ...(mode === 'browser' ? {} : { method: request.method === 'POST' ? 'POST' : 'GET' }),
    ...(request.body === undefined || mode === 'browser' ? {} : { body: request.body }),
    config: {
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      ...(retries === undefined ? {} : { retries }),
      headers: request.headers,
      cookies: request.cookies,
      ...(mode === 'browser' ? { useBrowser: true } : {}),
      ...(mode === 'browser' && request.waitFor !== undefined ? { waitForBrowser: request.waitFor } : {}),
    },
    deadlineAt: mode === 'browser' ? Math.min(run.deadlineAt, Date.now() + BROWSER_STEP_MS) : run.deadlineAt,
    signal: run.signal,
    accountId: run.accountId,
    attempts: run.attempts,
    isRequeuedWhenBusy: run.isRequeuedWhenBusy === true,
    allowStatuses: 'any',
    clock: run.clock,
  });
  return {
    url: request.url,
    finalUrl: page.finalUrl,
    status: page.status,
    headers: { ...page.headers },
    contentType: page.contentType,
    body: decoder.decode(page.body),
    fetchedAt: page.fetchedAt,
    bytes: page.body.length,
  };
}

/** Replaces `site_changed` by `fetch_failed` when the site answered with a server error. */
function siteFailure(error: AppError, responses: readonly SiteResponse[]): AppError {
  const down = responses.findLast(({ status }) => status >= 500 && status < 600);
  if (error.code !== 'site_changed' || down === undefined) return error;
  const detail = `the site answered with status ${down.status}`;
  return new AppError('fetch_failed', { detail, retryable: true });
}

/**
 * Runs a prebuilt API: its plan names the pages to fetch, and the extraction threads read the responses.
 * @throws AppError target_not_found, target_blocked, site_changed, fetch_failed, or what the fetcher throws
 */
export async function runSiteTask(deps: SiteTaskDeps, spec: TaskSpec, run: TimedRun): Promise<TaskOutcome> {
  if (spec.target.type !== 'api' || !isApiId(spec.target.id)) throw new AppError('not_found');
  const responses: SiteResponse[] = [];
  let bytes = 0;
  let fetchedAt = '';
  for (;;) {
    run.clock.enter('parse');
    const call = {
      id: spec.target.id,
      input: spec.input,
      config: deps.sites,
      responses,
      owner: run.accountId,
      signal: run.signal,
    };
    const step = await deps.outcomes.read(run.accountId, run.signal, () => deps.pool.site(call));
    run.clock.leave();
    if (step.kind === 'failure') throw siteFailure(fromStoredError(step.error), responses);
    if (step.kind === 'answer') {
      const last = responses.at(-1);
      return {
        ok: true,
        answer: step.json,
        finalUrl: last?.finalUrl ?? '',
        httpStatus: last?.status ?? 200,
        fetchedAt,
        bytes,
      };
    }
    // After the first response the attempt counts, even when the host is busy for the next step.
    const isFirst = responses.length === 0;
    const stepRun = isFirst ? run : { ...run, isRequeuedWhenBusy: false };
    const response = await fetchStep(deps, step, spec.config, stepRun).catch((error: unknown) => {
      if (!isFirst && error instanceof HostBusyError) throw new AppError(error.code, error.options);
      const canContinue = step.mode === 'browser' && isTimeout(error) && Date.now() < run.deadlineAt;
      if (!canContinue) throw error;
      return { url: step.request.url, status: 0, body: '', fetchedAt, bytes: 0 };
    });
    responses.push(response);
    ({ fetchedAt } = response);
    bytes += response.bytes;
  }
}
