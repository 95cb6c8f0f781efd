import { AppError } from '@gleaner/contracts';
import type { SuggestPage } from '@gleaner/learn';
import { creditsOf } from '../../accounts/credits/credits.ts';
import { callerOf } from '../../parsers/check-parser-schema.ts';
import type { Context, Perform, InputOf } from '../../platform/context.ts';
import { withSlot } from '../../runs/requests/take-slot.ts';
import { requireHtmlText, type ParsingServices, fetchHtml } from '../parse/parse-html.ts';

type Body = InputOf<'suggestParser'>['body'];

/** Fetches one page after another, so that a failure ends the call before the rest is fetched and charged. */
async function readPages(ctx: Context<ParsingServices>, body: Body): Promise<SuggestPage[]> {
  for (const [index, { html }] of body.pages.entries()) {
    if (html !== undefined) requireHtmlText(html, `pages[${index}].html`);
  }
  const pages: SuggestPage[] = [];
  let used = 0;
  for (const { html, url, examples } of body.pages) {
    if (html !== undefined) {
      pages.push({ body: html, url, finalUrl: url, examples });
    } else if (url !== undefined) {
      const fetched = await fetchHtml(ctx, url, body.scrape_config ?? {});
      used += ctx.credits?.used ?? 0;
      pages.push({ body: fetched.html, url, finalUrl: fetched.finalUrl, examples });
    }
  }
  ctx.credits = { ...(await creditsOf(ctx)), used };
  return pages;
}

/**
 * A schema from pages with or without examples, made in the killable threads under one slot of the account.
 * @throws AppError extraction_failed when a page can't be read or the time limit of the threads is reached
 */
export const suggestParser: Perform<'suggestParser', ParsingServices> = async (ctx, { body }) => {
  const pages = await readPages(ctx, body);
  const learned = await withSlot(ctx, () => ctx.services.pool.suggest(pages, callerOf(ctx)));
  if (!learned.ok) throw new AppError('extraction_failed', { field: 'pages', detail: learned.detail });
  const { schema, fields } = learned.value;
  return {
    schema,
    fields: fields.map(({ alternatives, missed, ...field }) => ({
      ...field,
      alternatives: [...alternatives],
      missed: [...missed],
    })),
  };
};
