import type { ScrapeConfig } from '@gleaner/client';
import { usesBrowser, type PageFact } from '@gleaner/contracts/values';
import type { Field, Fields } from '@gleaner/contracts';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { Refusal, toProblem } from '../../api/problem.ts';
import type { Capture, KeptPage } from '../extraction/protocol.ts';
import { EXAMPLES } from './examples.tsx';

/** A schema with the page itself as its values, so that the studio needs only the public API. */
const WHOLE_PAGE = {
  html: { css: 'html', attr: 'html' },
  final_url: { page: 'final_url' },
  json: { page: 'json' },
  responses: { page: 'responses', type: 'json' },
} as const satisfies Partial<Record<PageFact, Field>>;

/** A page that was fetched. */
export interface Fetched {
  page: KeptPage;
  /** What the further fields gave. */
  data: Record<string, unknown>;
  /** Where it was reached otherwise than asked for. */
  note?: string;
}

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
async function fetchAt(url: string, config: ScrapeConfig, further: Fields): Promise<Fetched> {
  const schema = { fields: { ...further, ...WHOLE_PAGE } };
  const answer = await call('previewParser', { body: { schema, url, scrape_config: config } });
  const { html, json, final_url: finalUrl, responses, ...data } = answer.data;
  if (typeof html !== 'string') throw new Refusal('The answer is not an HTML page.');
  const page = createPage({
    html: typeof json === 'string' ? json : `<!doctype html>${html}`,
    url: typeof finalUrl === 'string' ? finalUrl : url,
    ...(usesBrowser(config) ? { captures: asCaptures(responses) } : {}),
  });
  return { page, data };
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
export async function fetchPage(text: string, config: ScrapeConfig, further: Fields): Promise<Fetched> {
  try {
    return await fetchAt(completeUrl(text), config, further);
  } catch (error) {
    if (hasScheme(text) || !isWithoutTls(error)) throw error;
    const found = await fetchAt(completeUrl(text, 'http'), config, further).catch(() => undefined);
    if (found === undefined) throw error;
    return { ...found, note: `${completeUrl(text)} did not answer, so this is ${found.page.url}.` };
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

/**
 * Fetches one page at a time, with what was asked for last and how it went.
 * @param fieldsOf what is read of it beside the page itself
 */
export function useFetching(
  onFetched: (fetched: Fetched, request: FetchRequest) => void,
  fieldsOf: (config: ScrapeConfig) => Fields = () => ({}),
) {
  return useMutation({
    mutationFn: ({ url, config }: FetchRequest) => fetchPage(url, config, fieldsOf(config)),
    onSuccess: onFetched,
  });
}

export type Fetching = ReturnType<typeof useFetching>;
