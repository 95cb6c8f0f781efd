import { AppError, RUN_STATES, type RunState } from '@gleaner/contracts';
import { z } from 'zod';
import { BATCH_NAME, DOCUMENTS } from './bodies.ts';
import { callOperation, type DoorRequest } from './door-call.ts';
import { toDocument } from './documents.ts';

const STATUS_NAMES = {
  pending: 'scraping',
  running: 'scraping',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RunState, string>;

const stateFields = {
  status: z.enum(RUN_STATES),
  credits: z.object({ used: z.number() }),
  expires_at: z.string().nullable(),
};
const countsSchema = z.object({ total: z.int(), succeeded: z.int() });

const crawlSchema = z.object({
  ...stateFields,
  stages: z.array(
    z.object({
      crawl: z.object({ routes: z.array(z.object({ name: z.string(), counts: countsSchema })) }).nullable(),
    }),
  ),
});
const batchSchema = z.object({ ...stateFields, name: z.string().nullable(), counts: countsSchema });

type State = Omit<z.output<typeof batchSchema>, 'name'>;

/** Crawls or batches: the operations on them. */
export interface JobKind {
  /** @returns undefined when it was not made at this door */
  readonly stateOf: (record: unknown) => State | undefined;
  readonly read: string;
  readonly results: string;
  /** Which of the results are documents. */
  readonly filter: Readonly<Record<string, string>>;
  readonly failures: string;
  readonly cancel: string;
  /** Lists the addresses that robots.txt forbids. */
  readonly urls?: string;
}

export const CRAWLS: JobKind = {
  stateOf: (record) => {
    const crawl = crawlSchema.parse(record);
    const routes = crawl.stages.flatMap((stage) => stage.crawl?.routes ?? []);
    const documents = routes.find(({ name }) => name === DOCUMENTS);
    return documents && { ...crawl, counts: documents.counts };
  },
  read: 'getCrawl',
  results: 'getWorkflowRunResults',
  filter: { route: DOCUMENTS },
  failures: 'getWorkflowRunFailures',
  cancel: 'cancelWorkflowRun',
  urls: 'listCrawlUrls',
};

export const BATCHES: JobKind = {
  stateOf: (record) => {
    const batch = batchSchema.parse(record);
    return batch.name === BATCH_NAME ? batch : undefined;
  },
  read: 'getBatch',
  results: 'getBatchResults',
  filter: {},
  failures: 'getBatchFailures',
  cancel: 'cancelBatch',
};

/** @throws AppError not_found */
async function readState(request: DoorRequest, kind: JobKind, id: string): Promise<State> {
  const { value } = await callOperation(request, kind.read, { params: { id } });
  const state = kind.stateOf(value);
  if (state === undefined)
    throw new AppError('not_found', { detail: 'this run was not made by this interface' });
  return state;
}

const resultsSchema = z.object({
  results: z.array(z.object({ url: z.string(), data: z.unknown() })),
  cursor: z.string().optional(),
});

/** Documents of one answer, unless it is asked for fewer. */
const PAGE = 100;

export const pageQuery = z.strictObject({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(PAGE).default(PAGE),
});

/**
 * How far a job is, and a page of its documents.
 * @param address of the job, for the address of the next page
 */
export async function showJob(
  request: DoorRequest,
  kind: JobKind,
  id: string,
  { address, query }: { address: string; query: z.output<typeof pageQuery> },
): Promise<Record<string, unknown>> {
  const state = await readState(request, kind, id);
  const input = { params: { id }, query: { ...query, ...kind.filter } };
  const { value } = await callOperation(request, kind.results, input);
  const { results, cursor } = resultsSchema.parse(value);
  const status = STATUS_NAMES[state.status];
  // While pages are scraped the end is unknown, and a client that follows each `next` would never stop.
  const hasNext = cursor !== undefined && (status !== 'scraping' || results.length === query.limit);
  const next = new URLSearchParams({ cursor: cursor ?? '', limit: String(query.limit) });
  return {
    success: true,
    status,
    total: state.counts.total,
    completed: state.counts.succeeded,
    creditsUsed: state.credits.used,
    ...(state.expires_at === null ? {} : { expiresAt: state.expires_at }),
    next: hasNext ? `${address}?${next.toString()}` : null,
    data: results.map(({ url, data }) => toDocument(url, data)),
  };
}

/** @throws AppError not_found, already_finished */
export async function cancelJob(
  request: DoorRequest,
  kind: JobKind,
  id: string,
): Promise<Record<string, unknown>> {
  await readState(request, kind, id);
  await callOperation(request, kind.cancel, { params: { id } });
  return { success: true, status: 'cancelled' };
}

const failuresSchema = z.object({
  failures: z.array(z.object({ url: z.string(), error: z.string(), detail: z.string().nullish() })),
  cursor: z.string().optional(),
});

const urlsSchema = z.object({ urls: z.array(z.object({ url: z.string() })) });

/** Most failures of one answer, which has no further pages. */
const MOST_ERRORS = 1_000;

async function readRobots(request: DoorRequest, operation: string, id: string): Promise<string[]> {
  const query = { outcome: 'robots', limit: MOST_ERRORS };
  const { value } = await callOperation(request, operation, { params: { id }, query });
  return urlsSchema.parse(value).urls.map(({ url }) => url);
}

/** Why pages failed, the first thousand, and those that robots.txt forbids. @throws AppError not_found */
export async function showErrors(
  request: DoorRequest,
  kind: JobKind,
  id: string,
): Promise<Record<string, unknown>> {
  await readState(request, kind, id);
  const errors: Record<string, unknown>[] = [];
  for (let cursor: string | undefined; errors.length < MOST_ERRORS;) {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { value } = await callOperation(request, kind.failures, { params: { id }, query });
    const page = failuresSchema.parse(value);
    for (const { url, error, detail } of page.failures) {
      errors.push({
        id: `${id}-${errors.length + 1}`,
        url,
        error: [error, detail].filter(Boolean).join(': '),
      });
    }
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return { errors, robotsBlocked: kind.urls === undefined ? [] : await readRobots(request, kind.urls, id) };
}
