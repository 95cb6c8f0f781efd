import { z } from 'zod';
import { actionsField } from '../fetching/browser-actions.ts';
import { queryBoolean, queryNumber, refField, schemaField } from '../fields.ts';
import { operationsOf, rawJson } from '../define-operation.ts';
import { scrapeConfigSchema } from '../fetching/scrape-config.ts';
import { targetUrlField } from '../fetching/target-url.ts';
import { parseExactJson } from '../values/index.ts';
import { FETCH_ERRORS } from './page-errors.ts';
import { explainField } from './parsers.ts';

const define = operationsOf({ tag: 'Extraction', auth: 'key' });

/** The largest `html` part. */
export const MAX_HTML_BYTES = 16 * 1024 * 1024;
/** The largest body of a parse request. */
export const MAX_PARSE_BODY_BYTES = 64 * 1024 * 1024;

const parserParams = z.strictObject({
  parserId: refField('parser').describe(
    'Id or slug of the parser; `page`, which is built in, gives any page as Markdown.',
  ),
});

const extractedData = z.record(z.string(), z.unknown()).describe('Shaped by the parser’s schema.');

export const parseHtml = define('parseHtml', 'POST /v1/parse/{parserId}', {
  summary: 'Parse uploaded HTML with a parser.',
  description:
    'Free. Send a form with a file `html`, or JSON with the page as text. The charset of a file is detected like in a browser: BOM, charset of the part, meta element.',
  params: parserParams,
  query: z.strictObject({
    explain: explainField,
    url: targetUrlField.optional().describe('Address of the page, the base of relative URLs.'),
  }),
  body: z.strictObject({ html: z.string().min(1).describe('The page, at most 16 MB.') }),
  bodyLimitBytes: MAX_PARSE_BODY_BYTES,
  upload: {
    parts: { html: { description: 'The page, at most 16 MB.', binary: true, required: true } },
    bodyLimitBytes: MAX_PARSE_BODY_BYTES,
  },
  answer: rawJson(extractedData),
  errors: ['html_too_large', 'extraction_failed', 'concurrency_limit_exceeded'],
  credits: 0,
  tool: 'parse_html',
});

function jsonText<S extends z.ZodType>(what: string, schema: S, kind: 'object' | 'array' = 'object') {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return parseExactJson(text);
      } catch {
        context.addIssue({ code: 'custom', message: `must be a JSON ${kind} of ${what}` });
        return z.NEVER;
      }
    })
    .pipe(schema as z.ZodType<z.output<S>, unknown>);
}

const config = scrapeConfigSchema.shape;

/** Largest body of a POST to a target, in characters. */
const MAX_REQUEST_BODY = 262_144;

const JSON_OBJECT = { contentMediaType: 'application/json', description: 'JSON object.' };

/** The fields of `scrape_config` as query parameters: each of them, or this doesn't compile. */
const configQuery = {
  useBrowser: queryBoolean.optional(),
  waitSeconds: queryNumber(config.waitSeconds.unwrap()).optional(),
  waitForBrowser: config.waitForBrowser,
  proxy: config.proxy,
  escalate: config.escalate,
  maxPrice: queryNumber(config.maxPrice.unwrap()).optional(),
  hostDelaySeconds: queryNumber(config.hostDelaySeconds.unwrap()).optional(),
  hostConcurrency: queryNumber(config.hostConcurrency.unwrap()).optional(),
  timeoutSeconds: queryNumber(config.timeoutSeconds.unwrap()).optional(),
  headers: jsonText('header names and values', config.headers.unwrap()).optional().meta(JSON_OBJECT),
  cookies: jsonText('cookie names and values', config.cookies.unwrap()).optional().meta(JSON_OBJECT),
  country: config.country,
  blockResources: queryBoolean.optional(),
  composed: queryBoolean.optional(),
  actions: jsonText('actions', config.actions.unwrap(), 'array')
    .optional()
    .meta({
      contentMediaType: 'application/json',
      contentSchema: { type: 'array' },
      description: `JSON array. ${actionsField.description}`,
    }),
  screenshot: jsonText('screenshot options', config.screenshot.unwrap()).optional().meta(JSON_OBJECT),
  respectRobots: queryBoolean.optional(),
  retries: queryNumber(config.retries.unwrap()).optional(),
} satisfies Record<keyof typeof config, z.ZodType>;

export const scrape = define('scrape', 'GET /v1/scrape/{parserId}', {
  summary: 'Fetch a page and parse it with a parser.',
  description: 'Takes at most 120 seconds. Failures are not charged.',
  params: parserParams,
  query: z.strictObject({ url: targetUrlField, explain: explainField, ...configQuery }),
  answer: rawJson(extractedData),
  errors: FETCH_ERRORS,
  credits: 'scrape',
  tool: 'scrape',
});

const fetchFields = {
  url: targetUrlField,
  explain: z.boolean().optional().describe('Add `explain`, as with GET.'),
  method: z
    .enum(['GET', 'POST'])
    .default('GET')
    .describe('HTTP method of the request to the page. A browser uses GET.'),
  body: z
    .string()
    .max(MAX_REQUEST_BODY)
    .optional()
    .describe(
      'Body of a POST to the target. Without a Content-Type of your own it is sent as JSON when it is JSON, otherwise as a form.',
    ),
  ...config,
};

/** What a request to the target can't be. */
function checkRequest(
  { method, body, useBrowser }: z.output<z.ZodObject<typeof fetchFields>>,
  context: z.core.$RefinementCtx,
): void {
  if (body !== undefined && method === 'GET') {
    context.addIssue({ code: 'custom', path: ['body'], message: 'needs method POST' });
  }
  if (method === 'POST' && useBrowser === true) {
    const message = 'must be GET with useBrowser: a browser opens an address';
    context.addIssue({ code: 'custom', path: ['method'], message });
  }
}

const AS_JSON =
  'The fields of `scrape_config` stand beside `url`, as with GET. A POST to the target is attempted once unless `retries` is given. At most 120 seconds. What fails is not charged.';

export const scrapeAsJson = define('scrapeAsJson', 'POST /v1/scrape/{parserId}', {
  summary: 'Fetch a page and parse it with a parser; the request as JSON.',
  description: AS_JSON,
  params: parserParams,
  body: z.strictObject(fetchFields).superRefine(checkRequest),
  answer: rawJson(extractedData),
  errors: FETCH_ERRORS,
  credits: 'scrape',
});

export const scrapeWithSchema = define('scrapeWithSchema', 'POST /v1/scrape', {
  summary: 'Fetch a page and parse it with a schema that is not saved.',
  description: AS_JSON,
  body: z
    .strictObject({
      schema: schemaField.optional().describe('Default: that of the built-in parser `page`.'),
      ...fetchFields,
    })
    .superRefine(checkRequest),
  answer: rawJson(extractedData),
  errors: FETCH_ERRORS,
  credits: 'scrape',
});
