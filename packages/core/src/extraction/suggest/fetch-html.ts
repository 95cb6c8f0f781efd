import { AppError, type ParserSchema, type ScrapeConfig } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { runRequest, type InteractiveServices } from '../../runs/requests/run-request.ts';

/** A schema that gives the page itself. */
const WHOLE_PAGE: ParserSchema = {
  fields: { html: { page: 'html' }, final_url: { page: 'final_url' } },
};

export interface FetchedHtml {
  html: string;
  finalUrl: string;
}

/**
 * Fetches a page as a scrape does and charges what a scrape costs.
 * @throws AppError extraction_failed when the answer is not an HTML page
 */
export async function fetchHtml(
  ctx: Context<InteractiveServices>,
  url: string,
  config: ScrapeConfig,
): Promise<FetchedHtml> {
  const { jsonText } = await runRequest(ctx, {
    target: { type: 'schema', schema: WHOLE_PAGE },
    input: { url },
    config,
  });
  const data = JSON.parse(jsonText) as { html: string | null; final_url: string | null };
  if (data.html === null)
    throw new AppError('extraction_failed', { detail: `the answer of ${url} is not an HTML page` });
  return { html: data.html, finalUrl: data.final_url ?? url };
}
