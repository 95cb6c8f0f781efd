import { AppError, RUN_STATES, type RunState } from '@gleaner/contracts';
import { z } from 'zod';
import { DOCUMENTS } from './bodies.ts';
import { callOperation, type DoorRequest } from './door-call.ts';
import { toDocument } from './documents.ts';

const STATUS_NAMES = {
  pending: 'scraping',
  running: 'scraping',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RunState, string>;

const crawlSchema = z.object({
  status: z.enum(RUN_STATES),
  credits: z.object({ used: z.number() }),
  expires_at: z.string().nullable(),
  stages: z.array(
    z.object({
      crawl: z
        .object({
          routes: z.array(
            z.object({ name: z.string(), counts: z.object({ total: z.int(), succeeded: z.int() }) }),
          ),
        })
        .nullable(),
    }),
  ),
});

/** A crawl that this door made. @throws AppError not_found */
async function readCrawl(request: DoorRequest, id: string) {
  const { value } = await callOperation(request, 'getCrawl', { params: { id } });
  const crawl = crawlSchema.parse(value);
  const documents = crawl.stages
    .flatMap((stage) => stage.crawl?.routes ?? [])
    .find(({ name }) => name === DOCUMENTS);
  if (documents === undefined)
    throw new AppError('not_found', { detail: 'this crawl was not made by this interface' });
  return { ...crawl, counts: documents.counts };
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
 * How far a crawl is, and a page of its documents.
 * @param address of the crawl, for the address of the next page
 */
export async function showCrawl(
  request: DoorRequest,
  id: string,
  { address, query }: { address: string; query: z.output<typeof pageQuery> },
): Promise<Record<string, unknown>> {
  const crawl = await readCrawl(request, id);
  const input = { params: { id }, query: { ...query, route: DOCUMENTS } };
  const { value } = await callOperation(request, 'getWorkflowRunResults', input);
  const { results, cursor } = resultsSchema.parse(value);
  const status = STATUS_NAMES[crawl.status];
  // While pages are scraped the end is unknown, and a client that follows each `next` would never stop.
  const hasNext = cursor !== undefined && (status !== 'scraping' || results.length === query.limit);
  const next = new URLSearchParams({ cursor: cursor ?? '', limit: String(query.limit) });
  return {
    success: true,
    status,
    total: crawl.counts.total,
    completed: crawl.counts.succeeded,
    creditsUsed: crawl.credits.used,
    ...(crawl.expires_at === null ? {} : { expiresAt: crawl.expires_at }),
    next: hasNext ? `${address}?${next.toString()}` : null,
    data: results.map(({ url, data }) => toDocument(url, data)),
  };
}

/** @throws AppError not_found, already_finished */
export async function cancelCrawl(request: DoorRequest, id: string): Promise<Record<string, unknown>> {
  await readCrawl(request, id);
  await callOperation(request, 'cancelWorkflowRun', { params: { id } });
  return { success: true, status: 'cancelled' };
}

const failuresSchema = z.object({
  failures: z.array(
    z.object({
      url: z.string(),
      error: z.string(),
      detail: z.string().nullish(),
      hint: z.string().nullish(),
    }),
  ),
  cursor: z.string().optional(),
});

const urlsSchema = z.object({ urls: z.array(z.object({ url: z.string() })), cursor: z.string().optional() });

/** Most failures of one answer, which has no further pages. */
const MOST_ERRORS = 1_000;

/** Why pages failed, the first thousand, and those that robots.txt forbids. @throws AppError not_found */
export async function showErrors(request: DoorRequest, id: string): Promise<Record<string, unknown>> {
  await readCrawl(request, id);
  const errors: Record<string, unknown>[] = [];
  for (let cursor: string | undefined; errors.length < MOST_ERRORS;) {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const { value } = await callOperation(request, 'getWorkflowRunFailures', { params: { id }, query });
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
  const query = { outcome: 'robots', limit: MOST_ERRORS };
  const { value } = await callOperation(request, 'listCrawlUrls', { params: { id }, query });
  return { errors, robotsBlocked: urlsSchema.parse(value).urls.map(({ url }) => url) };
}
