import { browserHint, DEFAULT_PRICES } from '@gleaner/contracts';
import { creditsOf } from '../../accounts/credits/credits.ts';
import { extractAnswer } from '../parse/extract-answer.ts';
import { requireHtmlText, type ParsingServices } from '../parse/parse-html.ts';
import { runRequest } from '../../runs/requests/run-request.ts';
import { withSlot } from '../../runs/requests/take-slot.ts';
import { checkParserSchema } from '../../parsers/check-parser-schema.ts';
import { toUnsavedParser } from '../../parsers/parser-cache.ts';
import type { Perform } from '../../platform/context.ts';

/** Runs an unsaved schema: free on `html`, at the price of a scrape on `url`. */
export const previewParser: Perform<'previewParser', ParsingServices> = async (ctx, { body }) => {
  const schema = await checkParserSchema(ctx, body.schema);
  const explain = body.explain === true;
  const { html, url } = body;
  if (html === undefined) {
    return runRequest(
      ctx,
      {
        target: { type: 'schema', schema },
        input: { url },
        config: body.scrape_config ?? {},
        preview: true,
        ...(explain ? { explain } : {}),
      },
      { asked: { schema } },
    );
  }
  requireHtmlText(html);
  const jsonText = await withSlot(ctx, () =>
    extractAnswer(ctx.services.pool, {
      parser: toUnsavedParser(schema),
      page: {
        body: html,
        url,
        finalUrl: url,
        fetchedAt: ctx.services.now().toISOString(),
      },
      explain,
      preview: true,
      shellHint: browserHint({}, { ...DEFAULT_PRICES, ...ctx.services.config.prices }),
      accountId: ctx.accountId,
      signal: ctx.signal,
    }),
  );
  await creditsOf(ctx);
  return { jsonText };
};
