import type { UrlOutcome } from '@gleaner/contracts';
import { z } from 'zod';
import { callOperation, waitForEnd, within, type DoorRequest } from './door-call.ts';
import type { mapBody } from './bodies.ts';

/** How long a map may take, unless it says otherwise, and at most. */
const DEFAULT_MS = 60_000;
const MOST_MS = 110_000;

/** Addresses of one read. */
const BLOCK = 1_000;

const runSchema = z.object({ id: z.string() });
const urlsSchema = z.object({
  urls: z.array(z.object({ url: z.string(), outcome: z.string().nullable() })),
  cursor: z.string().optional(),
});

/** What is no page of the site, or one under another address. */
const LEFT_OUT = new Set<string | null>(['duplicate', 'excluded', 'out_of_scope'] satisfies UrlOutcome[]);

async function readLinks(request: DoorRequest, id: string, limit: number): Promise<{ url: string }[]> {
  const links: { url: string }[] = [];
  for (let cursor: string | undefined; links.length < limit;) {
    const query = { limit: BLOCK, ...(cursor === undefined ? {} : { cursor }) };
    const { value } = await callOperation(request, 'listCrawlUrls', { params: { id }, query });
    const page = urlsSchema.parse(value);
    for (const { url, outcome } of page.urls) if (!LEFT_OUT.has(outcome)) links.push({ url });
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return links.slice(0, limit);
}

/**
 * Lists the addresses of a site. A map that is not ready in time is cancelled.
 * @throws AppError fetch_timed_out, and the errors of the operations
 */
export async function mapSite(
  request: DoorRequest,
  { call, limit, waitMs = DEFAULT_MS }: z.output<typeof mapBody>,
): Promise<Record<string, unknown>> {
  const { value } = await callOperation(request, 'createMap', { body: call });
  const { id } = runSchema.parse(value);
  try {
    await within(request, Math.min(waitMs, MOST_MS), (limited) => waitForEnd(limited, id));
  } catch (error) {
    // Nobody will ask for it, also when the client is gone.
    const last = { ...request, signal: AbortSignal.timeout(DEFAULT_MS) };
    await callOperation(last, 'cancelWorkflowRun', { params: { id } }).catch((fault: unknown) =>
      request.services.log.warn({ err: fault, run: id }, 'a map that nobody waits for goes on'),
    );
    throw error;
  }
  return { success: true, id, links: await readLinks(request, id, limit) };
}
