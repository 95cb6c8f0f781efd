import { call } from '../../api/call.ts';
import type { ScrapeConfig } from '@gleaner/contracts';
import type { KeptPage } from '../extraction/protocol.ts';

/** A schema with the page itself as its only value, so that the studio needs only the public API. */
const WHOLE_PAGE = {
  fields: {
    html: { css: 'html', attr: 'html' },
    url: { page: 'final_url' },
  },
} as const;

function createPage(page: Omit<KeptPage, 'id' | 'fetchedAt'>): KeptPage {
  return { id: crypto.randomUUID(), fetchedAt: new Date().toISOString(), ...page };
}

/** Adds the scheme that people leave out. */
export function completeUrl(text: string): string {
  const trimmed = text.trim();
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
}

/** Fetches a page as a run would; costs what a scrape costs. @throws GleanerError */
export async function fetchPage(url: string, config: ScrapeConfig): Promise<KeptPage> {
  const { data } = await call('previewParser', {
    body: { schema: WHOLE_PAGE, url, scrape_config: config },
  });
  const { html, url: finalUrl } = data;
  if (typeof html !== 'string') throw new Error('the answer is not an HTML page');
  return createPage({ html: `<!doctype html>${html}`, url: typeof finalUrl === 'string' ? finalUrl : url });
}

/** Opens a page that a run kept, as it was fetched, free of charge. @throws GleanerError */
export async function openKept(id: string): Promise<KeptPage> {
  const { html, final_url, fetched_at } = await call('getPage', { params: { id } });
  return { ...createPage({ html, url: final_url }), fetchedAt: fetched_at };
}

export function pastedPage(html: string, url = ''): KeptPage {
  return createPage({ html, url });
}

/** Example pages of the installation; opening one is free of charge. */
export const EXAMPLES = [
  { name: 'shop', title: 'A shop', about: 'A list of products with prices', url: 'https://mugs.example/all' },
  {
    name: 'article',
    title: 'An article',
    about: 'Text with author, date and data',
    url: 'https://news.example/wheat',
  },
  {
    name: 'timetable',
    title: 'A timetable',
    about: 'A table of departures',
    url: 'https://trains.example/board',
  },
] as const;

export async function openExample(name: string): Promise<KeptPage | undefined> {
  const example = EXAMPLES.find((entry) => entry.name === name);
  if (!example) return undefined;
  const response = await fetch(`/examples/${example.name}.html`);
  if (!response.ok) throw new Error('the example page could not be read');
  return createPage({ html: await response.text(), url: example.url });
}
