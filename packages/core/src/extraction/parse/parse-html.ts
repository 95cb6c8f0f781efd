import type { parseHtml as operation, UploadPart } from '@gleaner/contracts';
import type { ExtractionServices } from '../../parsers/check-parser-schema.ts';
import { readParser } from '../../parsers/get-parser.ts';
import { withSlot } from '../../runs/requests/take-slot.ts';
import type { InteractiveServices } from '../../runs/requests/run-request.ts';
import { readBalance } from '../../accounts/credits/read-balance.ts';
import { checkText } from './check-text.ts';
import { requireNoExplainField } from './require-no-explain-field.ts';
import { requireHtmlText } from './require-html-text.ts';
import { readHtmlPart } from './read-html-part.ts';
import { extractAnswer } from './extract-answer.ts';
import type { Perform } from '../../platform/perform.ts';

export interface ParsingServices extends InteractiveServices, ExtractionServices {}

/** Parses an uploaded page with the parser's current version. Free. */
export const parseHtml: Perform<typeof operation, ParsingServices> = async (
  ctx,
  { params, query, body, upload },
) => {
  const parser = await readParser(ctx.services.db.orm, ctx.accountId, params.parserId);
  if (query.explain === true) requireNoExplainField(parser.schema);
  const html = body === undefined ? await readCheckedPart(upload) : readText(body.html);
  const jsonText = await withSlot(ctx, () =>
    extractAnswer(ctx.services.pool, {
      parser: { key: `${parser.id}/${parser.version}`, schema: parser.schema },
      page: {
        body: html.page,
        ...(html.contentType === undefined ? {} : { contentType: html.contentType }),
        ...(query.url === undefined ? {} : { url: query.url, finalUrl: query.url }),
        fetchedAt: ctx.services.now().toISOString(),
      },
      explain: query.explain === true,
      preview: false,
      accountId: ctx.accountId,
      signal: ctx.signal,
    }),
  );
  ctx.credits = { used: 0, remaining: await readBalance(ctx.services.db, ctx.accountId) };
  return { jsonText };
};

interface PageInput {
  page: string | Uint8Array;
  /** The content type, with the charset of the bytes when the part named one. */
  contentType?: string | undefined;
}

function readText(html: string): PageInput {
  requireHtmlText(html);
  return { page: html };
}

async function readCheckedPart(upload: AsyncIterable<UploadPart> | undefined): Promise<PageInput> {
  const { bytes, contentType } = await readHtmlPart(upload);
  checkText(bytes, contentType);
  return { page: bytes, contentType };
}
