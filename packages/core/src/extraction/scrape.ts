import type { JsonText, OperationInput, scrape as operation, ScrapeConfig } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { requireNoExplainField } from './parse/require-no-explain-field.ts';
import { readParser } from '../parsers/get-parser.ts';
import { mergeScrapeConfig } from '../runs/tasks/merge-scrape-config.ts';
import { runRequest, type InteractiveServices } from '../runs/requests/run-request.ts';

/** Fetches a page and parses it with the parser's current version. */
export async function scrape(
  ctx: Context<InteractiveServices>,
  { params, query }: OperationInput<typeof operation>,
): Promise<JsonText> {
  const parser = await readParser(ctx.services.db.orm, ctx.accountId, params.parserId);
  const { url, explain, ...config } = query;
  if (explain === true) requireNoExplainField(parser.schema);
  const nearest: ScrapeConfig = config;
  return runRequest(ctx, {
    target: { type: 'parser', parserId: parser.id, version: parser.version },
    input: { url },
    config: mergeScrapeConfig(parser.scrape_config, nearest),
    ...(explain ? { explain } : {}),
  });
}
