import { AppError, browserHint, toStorableTime, toStoredError } from '@gleaner/contracts';
import type {
  CrawlSpec,
  Found,
  KnownLinks,
  LoadedParser,
  RunCache,
  RunSpec,
  TaskOutcome,
} from '@gleaner/core';
import type { Page } from '@gleaner/extractors';
import type { CrawlRules, PageLinks } from '@gleaner/extractors/crawl';
import type { ExtractionPool, JsonExtraction } from '@gleaner/threads';
import { RedirectRefusedError, RobotsRefusedError, type FetchedPage, type Fetcher } from '@gleaner/fetching';
import { keepFiles, loadParser, toPageRequest, type TaskExecutorDeps } from '../tasks/execute-task.ts';
import { rowsAtOf, type TaskRun, type TimedRun } from '../tasks/attempt-task.ts';
import { NO_DATA, toStoredPage } from './stored-page.ts';

export interface PageTaskDeps extends Pick<
  TaskExecutorDeps,
  'parsers' | 'files' | 'metrics' | 'outcomes' | 'prices'
> {
  fetcher: Pick<Fetcher, 'fetchPage'>;
  pool: Pick<ExtractionPool, 'extractJson' | 'readLinks'>;
  runs: RunCache;
  known: Pick<KnownLinks, 'filter'>;
}

/** A task whose input is a page of a crawl. */
export interface PageTask {
  run: RunSpec;
  spec: Extract<CrawlSpec, { role: 'pages' }>;
  rules: CrawlRules;
  /** Normalised. */
  url: string;
}

/** Why a page does not belong to the crawl; undefined for other errors. */
function verdictOf(error: unknown): Found['verdict'] {
  if (error instanceof RobotsRefusedError) return 'robots';
  return error instanceof RedirectRefusedError ? 'out_of_scope' : undefined;
}

/** The route of a page, by its address after redirects. */
function routeAfter({ rules, url }: PageTask, { finalUrl }: FetchedPage): number | null {
  return rules.routeOf(rules.normalise(finalUrl) ?? url);
}

interface Reader extends Pick<TaskRun, 'rowsAt'> {
  parser: LoadedParser;
}

/** What reads the pages of a route; undefined when they are fetched for their links alone. */
async function loadReader(
  deps: PageTaskDeps,
  { spec }: PageTask,
  route: number | null,
): Promise<Reader | undefined> {
  const no = route === null ? null : (spec.routeRuns[route] ?? null);
  if (no === null) return undefined;
  const run = await deps.runs.load(no);
  return { parser: await loadParser(deps, run.target), rowsAt: rowsAtOf(run) };
}

function fetchPage(
  { fetcher }: PageTaskDeps,
  { run: { config }, spec, rules, url }: PageTask,
  run: TimedRun,
  expected: LoadedParser | undefined,
): Promise<FetchedPage> {
  return fetcher.fetchPage({
    ...toPageRequest({ input: { url }, config }, run, expected),
    crawler: { robots: spec.rules.crawl.robots },
    mayFollow: (target) => {
      const address = rules.normalise(target);
      return address !== null && rules.judge(address) !== 'out_of_scope';
    },
  });
}

/** The time of the response's `Last-Modified`. */
function modifiedOf({ headers }: FetchedPage): string | undefined {
  return toStorableTime(new Date(headers['last-modified'] ?? ''));
}

function toEntry({ known }: PageTaskDeps, task: PageTask, page: FetchedPage, links: PageLinks): Found {
  const { run, spec, url } = task;
  const { robots = { noindex: false, nofollow: false } } = page;
  const isFollowed = !(spec.rules.crawl.nofollow && robots.nofollow);
  return {
    ...(links.identity === url ? {} : { identity: links.identity, route: routeAfter(task, page) ?? -1 }),
    status: page.status,
    noindex: links.noindex || robots.noindex,
    canonical: links.canonical === links.identity ? undefined : (links.canonical ?? undefined),
    modified: modifiedOf(page),
    links: isFollowed ? known.filter(run.no, links.lines).join('\n') : '',
  };
}

interface ReadPage {
  links: PageLinks;
  /** What the page gave to its route's parser; undefined when none reads it. */
  extraction: JsonExtraction | undefined;
}

/** Parses the page once, in a thread. @throws AppError extraction_failed: it can't be read */
async function readPage(
  { pool }: PageTaskDeps,
  { run: { no }, spec: { rules }, url }: PageTask,
  page: Page & { finalUrl: string },
  {
    reader,
    link,
    accountId,
    signal,
  }: { reader: Reader | undefined; link: string | undefined } & Pick<TimedRun, 'accountId' | 'signal'>,
): Promise<ReadPage> {
  const links = { rulesKey: no, rules, address: { url, finalUrl: page.finalUrl, link } };
  const caller = { owner: accountId, signal };
  if (reader === undefined) {
    const found = await pool.readLinks({ ...links, ...caller, page });
    if (found.ok) return { links: found.value, extraction: undefined };
    throw new AppError('extraction_failed', { detail: found.detail });
  }
  const extraction = await pool.extractJson({
    parserKey: reader.parser.key,
    schema: reader.parser.schema,
    page,
    notesValues: true,
    refusesEmpty: true,
    rowsAt: reader.rowsAt,
    links,
    ...caller,
  });
  if (extraction.links !== undefined) return { links: extraction.links, extraction };
  throw new AppError('extraction_failed', { detail: extraction.ok ? undefined : extraction.failure.detail });
}

/**
 * Fetches a page of a crawl once, for its links and for the data of its route.
 * @throws AppError what the fetcher throws, extraction_failed
 */
export async function runPageTask(deps: PageTaskDeps, task: PageTask, run: TimedRun): Promise<TaskOutcome> {
  const { rules, url } = task;
  let page: FetchedPage;
  try {
    page = await fetchPage(deps, task, run, (await loadReader(deps, task, rules.routeOf(url)))?.parser);
  } catch (error) {
    const verdict = verdictOf(error);
    if (verdict === undefined || !(error instanceof AppError)) throw error;
    return { ok: false, error: toStoredError(error), fetched: { verdict } };
  }
  const { body, contentType, finalUrl, status: httpStatus, fetchedAt, captures } = page;
  const bytes = body.length;
  const reader = await loadReader(deps, task, routeAfter(task, page));
  const files = await keepFiles(deps, run.accountId, page.files ?? []);
  run.clock.enter('parse');
  const stopTimer = deps.metrics.extractionSeconds.startTimer();
  const { composed } = task.run.config;
  const source = {
    body,
    contentType,
    url,
    finalUrl,
    status: httpStatus,
    fetchedAt,
    captures,
    composed,
    files,
  };
  const read = await deps.outcomes.read(run.accountId, run.signal, () =>
    readPage(deps, task, source, { ...run, reader, link: page.headers['link'] }),
  );
  stopTimer();
  run.clock.leave();
  const stored = { finalUrl, httpStatus, bytes, fetchedAt };
  const kept = { body, contentType, url, finalUrl, status: httpStatus, fetchedAt };
  return {
    ok: true,
    climbs: read.extraction?.looksScripted === true ? 'scripted' : undefined,
    answer:
      read.extraction === undefined
        ? NO_DATA
        : toStoredPage(stored, read.extraction, browserHint(task.run.config, deps.prices)),
    finalUrl,
    httpStatus,
    fetchedAt,
    bytes,
    ...(run.returnsBody === true && bytes > 0 ? { page: kept } : {}),
    fetched: toEntry(deps, task, page, read.links),
  };
}
