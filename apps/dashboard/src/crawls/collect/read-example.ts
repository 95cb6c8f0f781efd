import { toProblem } from '../../api/problem.ts';
import { call, type CallOutput } from '../../api/call.ts';
import { createPage, fetchPage } from '../../studio/fetching/fetch-page.ts';
import type { Draft } from '../../studio/schema/draft.ts';
import { sureFields, suggestFields } from '../../studio/suggest/tidy.ts';

type Crawl = CallOutput<'getCrawl'>;

/** A page of a kind, as the crawl kept it or as it was fetched now. */
export interface ExamplePage {
  html: string;
  url: string;
  /** Until when the crawl keeps it; undefined: it was fetched for this. */
  keptUntil: string | undefined;
}

/** The first of the addresses whose page the crawl kept; undefined without one. @throws GleanerError */
export async function findKept(id: string, urls: readonly string[]): Promise<ExamplePage | null> {
  for (const url of urls) {
    const { pages } = await call('listPages', { query: { run: id, url, limit: 1 } });
    const [page] = pages;
    if (page === undefined) continue;
    const { html, final_url: at, expires_at: keptUntil } = await call('getPage', { params: { id: page.id } });
    return { html, url: at, keptUntil };
  }
  return null;
}

/** Fetches the address as the crawl would, at the price of a page. @throws GleanerError, Refusal */
export async function fetchExample({ scrape_config: config }: Crawl, address: string): Promise<ExamplePage> {
  const { page } = await fetchPage(address, config, {});
  return { html: page.html, url: page.url, keptUntil: undefined };
}

/** The fields that the engine proposes for a page. */
export interface Proposed {
  schema: Draft;
  /** What they read on the page. */
  data: Record<string, unknown>;
}

/** Proposes fields for a page that is there, as the studio does, free of charge; null: nothing on it repeats or has a name. */
export async function proposeFields({ html, url }: ExamplePage): Promise<Proposed | null> {
  const suggested = await suggestFields(createPage({ html, url }), {});
  const fields = sureFields(suggested);
  return fields ? { schema: { fields }, data: suggested.data ?? {} } : null;
}

/** Whether a page that was thought to be kept has expired meanwhile. */
export function isGone(error: unknown): boolean {
  return toProblem(error).status === 404;
}
