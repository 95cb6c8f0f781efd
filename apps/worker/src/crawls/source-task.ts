import { AppError } from '@gleaner/contracts';
import { readSourceBytes, type DatabaseClock, type RunSpec, type TaskOutcome } from '@gleaner/core';
import type { Database } from '@gleaner/db';
import type { AnyRulesSpec, SourceKind, SourceLinks } from '@gleaner/extractors/crawl';
import type { ExtractionPool } from '@gleaner/threads';
import type { Fetcher, RawResponse } from '@gleaner/fetching';
import type { TimedRun } from '../tasks/attempt-task.ts';

export interface SourceTaskDeps {
  db: Database;
  fetcher: Pick<Fetcher, 'fetchRaw'>;
  pool: Pick<ExtractionPool, 'readSource'>;
  clock: DatabaseClock;
}

/** A task whose input is a robots.txt file, a sitemap or a feed. */
export interface SourceTask {
  run: RunSpec;
  /** Which of its addresses count. */
  rules: AnyRulesSpec;
  /** `sitemap URL` */
  input: string;
}

const MEGABYTE = 1024 ** 2;
/** One byte more than is read, so that the reader sees that there is more. */
const MAX_BYTES: Readonly<Record<SourceKind, number>> = {
  robots: MEGABYTE / 2,
  sitemap: 50 * MEGABYTE + 1,
  feed: 50 * MEGABYTE + 1,
};
/** Bytes of all sources of a run, as they were sent. */
const MAX_RUN_BYTES = 1_024 * MEGABYTE;
/** A source is asked for through at most so many redirects (RFC 9309). */
const MAX_REDIRECTS = 5;

/** The input of a task, as it was written when the source was found. */
export function readInput(input: string): { kind: SourceKind; url: string } {
  const space = input.indexOf(' ');
  return { kind: input.slice(0, space) as SourceKind, url: input.slice(space + 1) };
}

/** @throws AppError fetch_failed: the run has read too much */
async function requireRoom({ db }: SourceTaskDeps, { no }: RunSpec): Promise<void> {
  if ((await readSourceBytes(db, no)) < MAX_RUN_BYTES) return;
  throw new AppError('fetch_failed', {
    detail: 'the sitemaps and feeds of the run have more than 1 GB together',
    retryable: false,
  });
}

/** @throws AppError fetch_failed: an error status */
function requireFound({ status }: RawResponse): void {
  if (status >= 200 && status < 300) return;
  throw new AppError('fetch_failed', {
    detail: `the site answered with status ${status}`,
    retryable: status >= 500 || status === 429,
  });
}

/** Whether a crawl does without such a file: robots.txt, and the sitemap where sites put it by custom. */
function mayBeAbsent({ rules, input }: SourceTask, { status }: RawResponse): boolean {
  if (rules === 'any' || status < 400 || status >= 500 || status === 429) return false;
  const { kind, url } = readInput(input);
  return kind === 'robots' || (kind === 'sitemap' && URL.parse(url)?.pathname === '/sitemap.xml');
}

/** @throws AppError fetch_failed: it is not what it should be */
async function readSource(
  { pool }: SourceTaskDeps,
  task: SourceTask,
  response: RawResponse,
  { accountId, signal }: TimedRun,
): Promise<SourceLinks> {
  const { kind } = readInput(task.input);
  const isAbsent = mayBeAbsent(task, response);
  if (isAbsent && kind === 'sitemap') return { lines: [] };
  if (!isAbsent) requireFound(response);
  const found = await pool.readSource({
    kind,
    // A missing robots.txt names what an empty one does.
    body: isAbsent ? new Uint8Array() : response.body,
    url: response.finalUrl,
    rulesKey: task.rules === 'any' ? task.rules : task.run.no,
    rules: task.rules,
    owner: accountId,
    signal,
  });
  if (found.fault === undefined) return found;
  throw new AppError('fetch_failed', { detail: `the ${kind} ${found.fault}`, retryable: false });
}

/** Fetches a source through the guard and reads it. @throws AppError fetch_failed: it can't be read */
export async function fetchSource(
  deps: SourceTaskDeps,
  task: SourceTask,
  run: TimedRun,
): Promise<{ response: RawResponse; bytes: number; found: SourceLinks }> {
  const { kind, url } = readInput(task.input);
  await requireRoom(deps, task.run);
  run.clock.enter('download');
  const response = await deps.fetcher.fetchRaw({
    url,
    deadlineAt: run.deadlineAt,
    signal: run.signal,
    maxBytes: MAX_BYTES[kind],
    maxRedirects: MAX_REDIRECTS,
    asCrawler: true,
  });
  // The pool may take the bytes over.
  const bytes = response.body.length;
  run.clock.enter('parse');
  return { response, bytes, found: await readSource(deps, task, response, run) };
}

/** Reads a source of a crawl. @throws AppError fetch_failed: it can't be read */
export async function runSourceTask(
  deps: SourceTaskDeps,
  task: SourceTask,
  run: TimedRun,
): Promise<TaskOutcome> {
  const { response, bytes, found } = await fetchSource(deps, task, run);
  const { status, finalUrl } = response;
  const { lines } = found;
  run.clock.leave();
  return {
    ok: true,
    answer: JSON.stringify({ bytes, entries: lines.length }),
    finalUrl,
    httpStatus: status,
    fetchedAt: new Date(deps.clock.now()).toISOString(),
    bytes,
    fetched: { status, links: lines.join('\n') },
  };
}
