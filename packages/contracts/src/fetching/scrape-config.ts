import { z } from 'zod';
import { actionsField, browserSelectorField } from './browser-actions.ts';
import { isCountryCode } from './country-codes.ts';
import { ESCALATIONS, PROXY_TIERS, SCREENSHOT_TYPES } from '../values/index.ts';

const PROXY_FORMS = `${PROXY_TIERS.join(', ')} or premium:<country code>`;

export const proxyField = z
  .string()
  .regex(new RegExp(`^(${PROXY_TIERS.join('|')}|premium:[a-zA-Z]{2})$`), `must be ${PROXY_FORMS}`)
  .refine(
    (proxy) => !proxy.includes(':') || isCountryCode(proxy.slice(-2)),
    'must end in an ISO 3166 country code',
  )
  .describe(`Proxy tier: ${PROXY_FORMS}.`);

/** Headers that frame the message or belong to one connection. A client that sets them could smuggle requests. */
const FRAMING =
  /^(host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|http2-settings)$/i;

/** Whether clients may not set this request header. */
export function isFramingHeader(name: string): boolean {
  return FRAMING.test(name);
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const headerName = z.string().regex(TOKEN, 'must be an HTTP header name');
const cookieName = z
  .string()
  .regex(TOKEN, 'must be a cookie name: at most 100 letters, digits and signs, without spaces, "=" and ";"');
const headerValue = z
  .string()
  .max(4096)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must not contain control characters or characters outside Latin-1');

const cookieValue = headerValue.regex(/^[^;\s]*$/, 'must be the value of one cookie, without ";" and spaces');

export const screenshotField = z
  .strictObject({
    type: z.enum(SCREENSHOT_TYPES).default('png'),
    fullPage: z.boolean().default(false).describe('At most 15,000 pixels.'),
    selector: browserSelectorField.optional().describe('Capture only this element.'),
  })
  .describe(
    'How {"page": "screenshot"} is drawn: {"type": "png" | "jpeg", "fullPage": true, "selector": css}.',
  );

export type ScreenshotOptions = z.output<typeof screenshotField>;

/** How a page is fetched. When several levels define it, the most specific one wins, field by field. */
export const scrapeConfigSchema = z
  .strictObject({
    useBrowser: z.boolean().optional().describe('Load the page in a browser and run its scripts.'),
    waitSeconds: z.number().min(0).max(60).optional().describe('Wait this long after the page has loaded.'),
    waitForBrowser: browserSelectorField
      .optional()
      .describe('CSS selector to wait for in the browser. Does not set useBrowser.'),
    proxy: proxyField.optional(),
    escalate: z
      .enum(ESCALATIONS)
      .optional()
      .describe(
        'Read a page that is blocked, or that scripts fill, by a dearer way. Only the way that gave the data is charged; the dearest is reserved.',
      ),
    maxPrice: z.int().min(1).max(1_000).optional().describe('With escalate: the most credits of one page.'),
    hostDelaySeconds: z
      .number()
      .min(0)
      .max(600)
      .optional()
      .describe('Runs only: at least this long between two pages asked of one host, over all workers.'),
    hostConcurrency: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe('Runs only: the most pages asked of one host at once, over all workers.'),
    timeoutSeconds: z
      .number()
      .min(1)
      .max(120)
      .optional()
      .describe(
        'Time limit of one fetch attempt. Default 60, plus waitSeconds. All attempts together take at most 120 seconds.',
      ),
    headers: z
      .record(
        headerName.refine((name) => !isFramingHeader(name), "can't be set"),
        headerValue,
      )
      .optional()
      .describe('Request headers to send to the target.'),
    cookies: z.record(cookieName, cookieValue).optional().describe('Cookies to send to the target.'),
    country: z
      .string()
      .regex(/^[a-zA-Z]{2}$/, 'must be a two-letter country code')
      .refine(isCountryCode, 'must be an ISO 3166 country code')
      .optional()
      .describe('Country for proxy tiers with {country} in their URLs.'),
    blockResources: z
      .boolean()
      .optional()
      .describe('Browser only: skip images, media and fonts. Default true.'),
    composed: z.boolean().optional().describe('Read shadow roots and frames of the site. Default true.'),
    actions: actionsField.optional(),
    screenshot: screenshotField.optional(),
    respectRobots: z.boolean().optional().describe('Follow robots.txt. Default false.'),
    retries: z
      .int()
      .min(0)
      .max(5)
      .optional()
      .describe('Further attempts after a temporary failure. Default 2.'),
  })
  .describe('How the page is fetched. The price depends on useBrowser, proxy and escalate.');

export type ScrapeConfig = z.output<typeof scrapeConfigSchema>;

/** A configuration as records show it; tools list records, so the fields are not described again. */
export const shownConfigSchema = z
  .record(z.string(), z.unknown())
  .describe('The parser’s configuration and what was given on top, without headers and cookies.');
