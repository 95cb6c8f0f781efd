import type { JsonText, OperationInput, scrape as operation, ScrapeConfig } from '@gleaner/contracts';
import type { Context } from '../platform/context.ts';
import { requireNoExplainField } from './parse/require-no-explain-field.ts';
import { readParser } from '../parsers/get-parser.ts';
import { mergeScrapeConfig } from '../runs/tasks/merge-scrape-config.ts';
import { runRequest, type InteractiveServices } from '../runs/requests/run-request.ts';
import { StaleParserError } from '../runs/requests/submission-refusal.ts';

/** The most attempts to submit a scrape while its parser keeps changing. */
const MAX_READS = 5;

/** Fetches a page and parses it with the parser's current version. */
export async function scrape(
  ctx: Context<InteractiveServices>,
  { params, query }: OperationInput<typeof operation>,
): Promise<JsonText> {
  const { services, accountId } = ctx;
  const { url, explain, ...config } = query;
  if (explain === true) {
    requireNoExplainField((await readParser(services.db.orm, accountId, params.parserId)).schema);
  }
  const nearest: ScrapeConfig = config;
  for (let read = 1; ; read += 1) {
    const parser = await services.currentParsers.read(accountId, params.parserId);
    try {
      return await runRequest(
        ctx,
        {
          target: { type: 'parser', parserId: parser.id, version: parser.version },
          input: { url },
          config: mergeScrapeConfig(parser.scrapeConfig, nearest),
          ...(explain ? { explain } : {}),
        },
        { parser },
      );
    } catch (error) {
      if (!(error instanceof StaleParserError) || read === MAX_READS) throw error;
      services.currentParsers.forget(accountId, params.parserId);
    }
  }
}
