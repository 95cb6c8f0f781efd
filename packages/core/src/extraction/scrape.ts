import { PAGE_PARSER, type JsonText, type ScrapeConfig } from '@gleaner/contracts';
import type { Context, Perform } from '../platform/context.ts';
import { requireNoExplainField } from './parse/extract-answer.ts';
import type { ParsingServices } from './parse/parse-html.ts';
import { checkParserSchema } from '../parsers/check-parser-schema.ts';
import { PAGE_TARGET } from '../parsers/page-parser.ts';
import { readVersionSchema } from '../parsers/versions.ts';
import { readParser } from '../parsers/read-parsers.ts';
import { mergeScrapeConfig } from '../runs/submission/plan-ways.ts';
import type { TaskSpec, TaskTarget } from '../runs/tasks/task-spec.ts';
import { runRequest, type InteractiveServices } from '../runs/requests/run-request.ts';
import { StaleParserError } from '../runs/requests/submit-requests.ts';

/** The most attempts to submit a scrape while its parser keeps changing. */
const MAX_READS = 5;

/** What a scrape asks for beside its parser and configuration. */
interface Asked extends Pick<TaskSpec, 'request' | 'explain'> {
  url: string;
  config: ScrapeConfig;
}

/** Fetches a page and parses it with a schema. */
async function scrapeUnsaved(
  ctx: Context<InteractiveServices>,
  target: Extract<TaskTarget, { type: 'schema' }>,
  { url, config, request, explain }: Asked,
): Promise<JsonText> {
  return runRequest(
    ctx,
    {
      target,
      input: { url },
      config,
      ...(request === undefined ? {} : { request }),
      ...(explain === true ? { explain } : {}),
    },
    { asked: { prefix: '', method: request?.method, schema: target.schema } },
  );
}

/** Fetches a page and parses it with the parser's current version. */
async function scrapeSaved(
  ctx: Context<InteractiveServices>,
  parserId: string,
  { url, config: nearest, request, explain }: Asked,
): Promise<JsonText> {
  const { services, accountId } = ctx;
  if (parserId === PAGE_PARSER)
    return scrapeUnsaved(ctx, PAGE_TARGET, { url, config: nearest, request, explain });
  if (explain === true)
    requireNoExplainField((await readParser(services.db.orm, accountId, parserId)).schema);
  for (let read = 1; ; read += 1) {
    const parser = await services.currentParsers.read(accountId, parserId);
    const config = mergeScrapeConfig(parser.scrapeConfig, nearest);
    const schema =
      config.escalate === undefined
        ? undefined
        : await readVersionSchema(services.db.orm, parser.id, parser.version);
    try {
      return await runRequest(
        ctx,
        {
          target: { type: 'parser', parserId: parser.id, version: parser.version },
          input: { url },
          config,
          ...(request === undefined ? {} : { request }),
          ...(explain === true ? { explain } : {}),
        },
        { parser, asked: { prefix: '', method: request?.method, schema } },
      );
    } catch (error) {
      if (!(error instanceof StaleParserError) || read === MAX_READS) throw error;
      services.currentParsers.forget(accountId, parserId);
    }
  }
}

export const scrape: Perform<'scrape', InteractiveServices> = (ctx, { params, query }) => {
  const { url, explain, ...config } = query;
  return scrapeSaved(ctx, params.parserId, { url, explain, config });
};

/** A POST that the caller did not ask to repeat is sent once: the target may act on each. */
function readRequest({
  method,
  body,
  config,
}: {
  method: 'GET' | 'POST';
  body: string | undefined;
  config: ScrapeConfig;
}): Pick<Asked, 'request' | 'config'> {
  if (method === 'GET') return { config };
  return {
    request: { method, ...(body === undefined ? {} : { body }) },
    config: { ...config, retries: config.retries ?? 0 },
  };
}

export const scrapeAsJson: Perform<'scrapeAsJson', InteractiveServices> = (
  ctx,
  { params, body: { url, explain, method, body, ...config } },
) => {
  return scrapeSaved(ctx, params.parserId, { url, explain, ...readRequest({ method, body, config }) });
};

/** Fetches a page and parses it with a schema that is not saved, by default that of the built-in parser. */
export const scrapeWithSchema: Perform<'scrapeWithSchema', ParsingServices> = async (
  ctx,
  { body: { schema: given, url, explain, method, body, ...config } },
) => {
  const asked = { url, explain, ...readRequest({ method, body, config }) };
  if (given === undefined) return scrapeUnsaved(ctx, PAGE_TARGET, asked);
  if (explain === true) requireNoExplainField(given);
  return scrapeUnsaved(ctx, { type: 'schema', schema: await checkParserSchema(ctx, given) }, asked);
};
