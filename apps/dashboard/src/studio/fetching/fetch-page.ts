import type { ScrapeConfig } from '@gleaner/client';
import { usesBrowser } from '@gleaner/contracts/values';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { Refusal, toProblem } from '../../api/problem.ts';
import type { Capture, KeptPage } from '../extraction/protocol.ts';
import { EXAMPLES } from './examples.tsx';

/** A schema with the page itself as its values, so that the studio needs only the public API. */
const WHOLE_PAGE = {
  fields: {
    html: { css: 'html', attr: 'html' },
    url: { page: 'final_url' },
    json: { page: 'json' },
    responses: { page: 'responses', type: 'json' },
  },
} as const;

/** A page that is kept from now on. */
export function createPage(page: Omit<KeptPage, 'id' | 'fetchedAt'>): KeptPage {
  return { id: crypto.randomUUID(), fetchedAt: new Date().toISOString(), ...page };
}

function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim());
}

/** Adds the scheme that people leave out. */
export function completeUrl(text: string, scheme = 'https'): string {
  return hasScheme(text) ? text.trim() : `${scheme}://${text.trim()}`;
}

// The schema gives them so.
function asCaptures(value: unknown): Capture[] {
  return (value as { url: string; body: string }[]).map(({ url, body }) => ({ url, json: body }));
}

/** @throws GleanerError, Refusal */
async function fetchAt(url: string, config: ScrapeConfig): Promise<KeptPage> {
  const { data } = await call('previewParser', {
    body: { schema: WHOLE_PAGE, url, scrape_config: config },
  });
  const { html, json, url: finalUrl, responses } = data;
  if (typeof html !== 'string') throw new Refusal('The answer is not an HTML page.');
  return createPage({
    html: typeof json === 'string' ? json : `<!doctype html>${html}`,
    url: typeof finalUrl === 'string' ? finalUrl : url,
    ...(usesBrowser(config) ? { captures: asCaptures(responses) } : {}),
  });
}

/** Whether nothing that speaks TLS answered. */
function isWithoutTls(error: unknown): boolean {
  const { error: code, detail } = toProblem(error).body;
  return code === 'fetch failed' && /TLS|certificate|connection/.test(detail ?? '');
}

/**
 * Fetches a page as a run would; costs what a scrape costs. An address without a scheme means https, or http when only
 * that answers: `note` says so then.
 * @throws GleanerError, Refusal
 */
export async function fetchPage(
  text: string,
  config: ScrapeConfig,
): Promise<{ page: KeptPage; note?: string }> {
  try {
    return { page: await fetchAt(completeUrl(text), config) };
  } catch (error) {
    if (hasScheme(text) || !isWithoutTls(error)) throw error;
    const page = await fetchAt(completeUrl(text, 'http'), config).catch(() => undefined);
    if (page === undefined) throw error;
    return { page, note: `${completeUrl(text)} did not answer, so this is ${page.url}.` };
  }
}

/** Opens a page that a run kept, as it was fetched, free of charge. @throws GleanerError */
export async function openKept(id: string): Promise<KeptPage> {
  const { html, final_url, fetched_at } = await call('getPage', { params: { id } });
  return { ...createPage({ html, url: final_url }), fetchedAt: fetched_at };
}

export async function openExample(name: string): Promise<KeptPage | undefined> {
  const example = EXAMPLES.find((entry) => entry.name === name);
  if (!example) return undefined;
  const response = await fetch(`/examples/${example.name}.html`);
  if (!response.ok) throw new Refusal('The example page could not be read.');
  return createPage({ html: await response.text(), url: example.url });
}

/** A page that a person wants to see and pays for. */
export interface FetchRequest {
  /** As it was typed. */
  url: string;
  config: ScrapeConfig;
  /** The kept page that the new one takes the place of. */
  replaces?: string | undefined;
}

/** Fetches one page at a time, with what was asked for last and how it went. */
export function useFetching(onFetched: (page: KeptPage, request: FetchRequest) => void) {
  return useMutation({
    mutationFn: ({ url, config }: FetchRequest) => fetchPage(url, config),
    onSuccess: ({ page }, request) => onFetched(page, request),
  });
}

export type Fetching = ReturnType<typeof useFetching>;
