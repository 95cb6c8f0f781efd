import {
  AppError,
  fileFacts,
  toStorableJsonText,
  toStoredError,
  usesBrowser,
  xhrPatterns,
  type FileFact,
} from '@gleaner/contracts';
import {
  extractReport,
  isUnavailable,
  toAppError,
  type FileStore,
  toUnsavedParser,
  type LoadedParser,
  type Metrics,
  type ParserCache,
  type TaskOutcome,
  type TaskSpec,
} from '@gleaner/core';
import { PageLostError } from '@gleaner/extractors/pool';
import { createPhaseClock, HostBusyError, type FetchedPage } from '@gleaner/fetching';
import type { TaskRun, TimedRun } from './task-run.ts';
import { runSiteTask, type SiteTaskDeps } from './site-task.ts';

export interface TaskExecutor {
  /** Runs one task. Returns failures as data; only an abort throws. */
  execute(spec: TaskSpec, run: TaskRun): Promise<TaskOutcome>;
}

export interface TaskExecutorDeps extends SiteTaskDeps {
  parsers: ParserCache;
  /** Where screenshots and PDFs are kept. */
  files: Pick<FileStore, 'keep'>;
  metrics: Metrics;
  /** Called with internal errors. Log them here; clients only see `internal`. */
  onInternalError: (error: unknown) => void;
}

async function loadParser(deps: TaskExecutorDeps, spec: TaskSpec): Promise<LoadedParser> {
  const { target } = spec;
  switch (target.type) {
    case 'parser':
      return deps.parsers.load(target.parserId, target.version);
    case 'schema':
      return toUnsavedParser(target.schema);
    case 'api':
      throw new AppError('not_found', { detail: `there is no API ${target.id}` });
  }
}

/** Keeps the files that were made of a page, and gives their addresses. */
async function keepFiles(
  { files: store }: TaskExecutorDeps,
  accountId: string,
  files: NonNullable<FetchedPage['files']>,
): Promise<Partial<Record<FileFact, string>>> {
  if (files.length === 0) return {};
  const addresses = await store.keep(accountId, files);
  return Object.fromEntries(files.map(({ fact }, index) => [fact, addresses[index]]));
}

/** How often a page is fetched again after another page crashed its extraction thread. */
const MAX_LOSSES = 2;

async function runPageTask(
  deps: TaskExecutorDeps,
  spec: TaskSpec,
  run: TimedRun,
  losses = 0,
): Promise<TaskOutcome> {
  try {
    return await runPageOnce(deps, spec, run);
  } catch (error) {
    if (!(error instanceof PageLostError) || losses >= MAX_LOSSES) throw error;
    return runPageTask(deps, spec, run, losses + 1);
  }
}

async function runPageOnce(deps: TaskExecutorDeps, spec: TaskSpec, run: TimedRun): Promise<TaskOutcome> {
  const parser = await loadParser(deps, spec);
  const url = String(spec.input.url);
  const page = await (run.savedPage?.() ?? fetchPage(deps, spec, run, parser));
  const { body, contentType, finalUrl, status, fetchedAt } = page;
  const bytes = body.length;
  const fetched = 'ageMs' in page ? undefined : page;
  const files = await keepFiles(deps, run.accountId, fetched?.files ?? []);
  const stopTimer = deps.metrics.extractionSeconds.startTimer();
  run.clock.enter('parse');
  const report = await extractReport(deps.pool, {
    parser,
    page: { body, contentType, url, finalUrl, status, fetchedAt, captures: fetched?.captures, files },
    explain: spec.explain === true,
    preview: spec.preview === true,
    accountId: run.accountId,
    signal: run.signal,
    returnsBody: run.returnsBody,
    notesValues: run.notesValues,
  });
  run.clock.leave();
  stopTimer();
  const { answer, fields, structure } = report;
  // A body that was moved to the thread is empty here.
  const copy = report.body ?? (run.returnsBody === undefined || body.length === 0 ? undefined : body);
  const evidence = {
    fields,
    structure,
    ...(copy === undefined ? {} : { page: { body: copy, contentType, url, finalUrl, status, fetchedAt } }),
  };
  if (answer instanceof AppError) return { ok: false, error: toStoredError(answer), ...evidence };
  const age = 'ageMs' in page ? { ageMs: page.ageMs } : {};
  return { ok: true, answer, finalUrl, httpStatus: status, fetchedAt, bytes, ...age, ...evidence };
}

function fetchPage(
  deps: TaskExecutorDeps,
  spec: TaskSpec,
  run: TimedRun,
  parser: LoadedParser,
): Promise<FetchedPage> {
  return deps.fetcher.fetchPage({
    url: String(spec.input.url),
    config: spec.config,
    deadlineAt: run.deadlineAt,
    signal: run.signal,
    accountId: run.accountId,
    attempts: run.attempts,
    isRequeuedWhenBusy: run.isRequeuedWhenBusy === true,
    clock: run.clock,
    ...spec.request,
    ...(usesBrowser(spec.config)
      ? { capture: xhrPatterns(parser.schema), files: fileFacts(parser.schema) }
      : {}),
    ...(run.sessionKey === undefined ? {} : { sessionKey: run.sessionKey }),
  });
}

/** Fetches a page and extracts it, for interactive requests and for tasks of runs. */
export function createTaskExecutor(deps: TaskExecutorDeps): TaskExecutor {
  return {
    execute: async (spec, run) => {
      const clock = createPhaseClock();
      const timed = { ...run, clock };
      try {
        const outcome =
          spec.target.type === 'api'
            ? await runSiteTask(deps, spec, timed)
            : await runPageTask(deps, spec, timed);
        outcome.phases = clock.read();
        // A prebuilt API gives texts as their site wrote them.
        return outcome.ok ? { ...outcome, answer: toStorableJsonText(outcome.answer) } : outcome;
      } catch (error) {
        if (run.signal.aborted) throw error;
        if (!(error instanceof AppError)) deps.onInternalError(error);
        const failure = toAppError(error);
        const isUncounted = failure instanceof HostBusyError || isUnavailable(error);
        const retryAfter = failure.options.retryAfterSeconds;
        return {
          ok: false,
          error: toStoredError(failure),
          phases: clock.read(),
          ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1_000 }),
          ...(isUncounted ? { isUncounted } : {}),
        };
      }
    },
  };
}
