import type { ScrapeConfig } from '@gleaner/contracts';
import { z } from 'zod';
import { actionsList } from './actions.ts';
import { formatsField, schemaOf, screenshotOf } from './formats.ts';
import { ignored, only, optional, refused } from './parameters.ts';

const NO_CUTTING = 'can’t be done: take a part of a page with the format json and a selector';

/** The longest that a scrape takes. */
const MOST_SECONDS = 120;

/** The tiers of proxies that their words mean: `auto` begins with the cheapest, and here it stays there. */
const TIERS = { basic: undefined, auto: undefined, stealth: 'premium', enhanced: 'premium' } as const;

const parserField = z.union(
  [z.literal('pdf'), z.strictObject({ type: z.literal('pdf'), mode: z.enum(['fast', 'auto']).nullish() })],
  { error: () => 'must be pdf, or {"type": "pdf"}, with the mode fast or auto' },
);

/** What can be said of each page: of `scrape`, and in `scrapeOptions`. */
export const scrapeFields = {
  formats: formatsField,
  onlyMainContent: optional(z.boolean()),
  headers: optional(z.record(z.string(), z.string())),
  waitFor: optional(z.number().min(0).max(60_000)),
  timeout: optional(z.number().min(1_000)),
  actions: optional(actionsList),
  location: optional(
    z.strictObject({ country: optional(z.string()), languages: optional(z.array(z.string()).max(20)) }),
  ),
  proxy: optional(z.enum(['basic', 'auto', 'stealth', 'enhanced'])),
  parsers: z
    .array(parserField)
    .min(1, 'can’t be empty: PDFs are read as Markdown, and their bytes are not given out')
    .nullish()
    .transform(() => undefined),
  includeTags: refused(NO_CUTTING),
  excludeTags: refused(NO_CUTTING),
  mobile: refused('can’t be true: pages are opened as on a desktop'),
  removeBase64Images: only(true, 'can’t be false: Markdown is without embedded images'),
  minAge: refused('can’t be done: pages are fetched anew'),
  lockdown: refused('can’t be true: pages are fetched anew'),
  redactPII: refused('can’t be done'),
  threatProtection: refused('can’t be done'),
  profile: refused('can’t be done: cookies are given in headers'),
  zeroDataRetention: refused('can’t be true: results are kept until they expire'),
  useMock: refused('can’t be done'),
  // Firecrawl’s default is true. Certificates are checked, and a page with a faulty one fails, so no result is wrong.
  skipTlsVerification: ignored,
  maxAge: ignored,
  storeInCache: ignored,
  blockAds: ignored,
  fastMode: ignored,
};

const scrapeOptions = z.object(scrapeFields);
export type ScrapeOptions = z.output<typeof scrapeOptions>;

/** The options of a batch or crawl that gives none. */
export const noOptions: ScrapeOptions = scrapeOptions.parse({});

function headersOf({ headers, location }: ScrapeOptions): Record<string, string> | undefined {
  const languages = location?.languages;
  if (languages === undefined || Object.keys(headers ?? {}).some((name) => /^accept-language$/i.test(name)))
    return headers;
  return { ...headers, 'Accept-Language': languages.join(', ') };
}

/** How the pages are fetched. A browser opens them where something is asked for that only a browser can do. */
export function configOf(options: ScrapeOptions): ScrapeConfig {
  const { waitFor = 0, timeout, actions, location, proxy = 'basic', formats = [] } = options;
  const headers = headersOf(options);
  const screenshot = screenshotOf(formats);
  const needsBrowser = waitFor > 0 || actions !== undefined || screenshot !== undefined;
  const tier = TIERS[proxy];
  return {
    ...(needsBrowser ? { useBrowser: true } : {}),
    ...(waitFor > 0 ? { waitSeconds: waitFor / 1000 } : {}),
    ...(timeout === undefined ? {} : { timeoutSeconds: Math.min(timeout / 1000, MOST_SECONDS) }),
    ...(actions === undefined ? {} : { actions }),
    ...(headers === undefined ? {} : { headers }),
    ...(location?.country === undefined ? {} : { country: location.country }),
    ...(tier === undefined ? {} : { proxy: tier }),
    ...(screenshot === undefined ? {} : { screenshot: { type: 'png', ...screenshot } }),
  };
}

/** What is read of the pages. */
export function readingOf({ formats = ['markdown'], onlyMainContent = true }: ScrapeOptions) {
  return schemaOf(formats, onlyMainContent);
}
