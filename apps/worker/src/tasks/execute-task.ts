import {
  AppError,
  browserHint,
  fileFacts,
  readsPdf,
  toStoredError,
  usesBrowser,
  xhrPatterns,
  type FileFact,
  type PriceTable,
  type StoredError,
} from '@gleaner/contracts';
import {
  extractReport,
  schemaOfTarget,
  type FileStore,
  toUnsavedParser,
  type LoadedParser,
  type Metrics,
  type PageCopy,
  type ParserCache,
  type TaskOutcome,
  type TaskSpec,
  type TaskTarget,
} from '@gleaner/core';
import type { FetchedPage, FetchRequest } from '@gleaner/fetching';
import type { OutcomeBudget } from '../load/outcome-budget.ts';
import { attemptTask, type AttemptDeps, type TaskRun, type TimedRun } from './attempt-task.ts';
import { runSiteTask, type SiteTaskDeps } from './site-task.ts';

export interface TaskExecutor {
  /** Runs one task. Returns failures as data; only an abort throws. */
  execute(spec: TaskSpec, run: TaskRun): Promise<TaskOutcome>;
}

export interface TaskExecutorDeps extends SiteTaskDeps, AttemptDeps {
  parsers: ParserCache;
  /** Where screenshots and PDFs are kept. */
  files: Pick<FileStore, 'keep'>;
  metrics: Metrics;
  outcomes: Pick<OutcomeBudget, 'read'>;
  prices: PriceTable;
}

/** @throws AppError not_found: the parser was removed, or the target is an API that does not exist */
export async function loadParser(
  { parsers }: Pick<TaskExecutorDeps, 'parsers'>,
  target: TaskTarget,
): Promise<LoadedParser> {
  switch (target.type) {
    case 'parser':
      return parsers.load(target.parserId, target.version);
    case 'schema':
      return toUnsavedParser(schemaOfTarget(target));
    case 'api':
      throw new AppError('not_found', { detail: `there is no API ${target.id}` });
    case 'crawl':
      throw new Error('pages of a crawl have the parsers of their routes');
  }
}

/** Keeps the files that were made of a page, and gives their addresses. */
export async function keepFiles(
  { files: store }: Pick<TaskExecutorDeps, 'files'>,
  accountId: string,
  files: NonNullable<FetchedPage['files']>,
): Promise<Partial<Record<FileFact, string>>> {
  if (files.length === 0) return {};
  const addresses = await store.keep(accountId, files);
  return Object.fromEntries(files.map(({ fact }, index) => [fact, addresses[index]]));
}

async function runPageTask(deps: TaskExecutorDeps, spec: TaskSpec, run: TimedRun): Promise<TaskOutcome> {
  const parser = await loadParser(deps, spec.target);
  const url = String(spec.input.url);
  const page: PageCopy & Pick<FetchedPage, 'captures' | 'files'> = await (run.savedPage?.() ??
    deps.fetcher.fetchPage(toPageRequest(spec, run, parser)));
  const { body, contentType, finalUrl, status, fetchedAt, captures } = page;
  const bytes = body.length;
  const files = await keepFiles(deps, run.accountId, page.files ?? []);
  const stopTimer = deps.metrics.extractionSeconds.startTimer();
  run.clock.enter('parse');
  const report = await deps.outcomes.read(run.accountId, run.signal, () =>
    extractReport(deps.pool, {
      parser,
      page: {
        body,
        contentType,
        url,
        finalUrl,
        status,
        fetchedAt,
        captures,
        composed: spec.config.composed,
        files,
      },
      explain: spec.explain === true,
      preview: spec.preview === true,
      accountId: run.accountId,
      signal: run.signal,
      notesValues: run.notesValues,
      refusesEmpty: run.mayBeEmpty !== true,
      rowsAt: run.rowsAt,
      shellHint: browserHint(spec.config, deps.prices),
    }),
  );
  run.clock.leave();
  stopTimer();
  const { answer, fields, structure, emptiness, looksScripted, relative } = report;
  const climbs = looksScripted ? ({ climbs: 'scripted' } as const) : {};
  const evidence = {
    fields,
    structure,
    ...(run.returnsBody === true && body.length > 0
      ? { page: { body, contentType, url, finalUrl, status, fetchedAt } }
      : {}),
  };
  if (answer instanceof AppError) return { ok: false, error: toStoredError(answer), ...climbs, ...evidence };
  if (emptiness !== undefined) {
    const error: StoredError = { code: 'extraction_failed', detail: emptiness, shown: answer };
    return { ok: false, error, ...climbs, ...evidence };
  }
  // Without a preview or reasons, a success looks scripted only where facts alone are read.
  const more = spec.preview === true || spec.explain === true ? {} : climbs;
  return {
    ok: true,
    answer,
    finalUrl,
    httpStatus: status,
    fetchedAt,
    bytes,
    relative,
    ...more,
    ...evidence,
  };
}

/**
 * The request for the page of a task.
 * @param parser decides what a browser keeps of it; undefined when no parser reads the page
 */
export function toPageRequest(
  { input, config, request }: Pick<TaskSpec, 'input' | 'config' | 'request'>,
  run: TimedRun,
  parser: LoadedParser | undefined,
): FetchRequest {
  return {
    url: String(input.url),
    config,
    deadlineAt: run.deadlineAt,
    signal: run.signal,
    accountId: run.accountId,
    attempts: run.attempts,
    isRequeuedWhenBusy: run.isRequeuedWhenBusy === true,
    goesOnLater: run.goesOnLater === true,
    redirected: run.redirected,
    clock: run.clock,
    pace: run.pace,
    ...request,
    readsPdf: parser !== undefined && readsPdf(parser.schema),
    ...(parser !== undefined && usesBrowser(config)
      ? { capture: xhrPatterns(parser.schema), files: fileFacts(parser.schema) }
      : {}),
  };
}

/** Fetches a page and extracts it, for interactive requests and for tasks of runs. */
export function createTaskExecutor(deps: TaskExecutorDeps): TaskExecutor {
  return {
    execute: (spec, run) =>
      attemptTask(deps, run, (timed) =>
        spec.target.type === 'api' ? runSiteTask(deps, spec, timed) : runPageTask(deps, spec, timed),
      ),
  };
}
