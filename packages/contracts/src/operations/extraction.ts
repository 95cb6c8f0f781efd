import { z } from 'zod';
import { idField, queryBoolean, queryNumber } from '../fields.ts';
import { defineOperation } from '../operation.ts';
import { scrapeConfigSchema } from '../scrape-config.ts';
import { targetUrlField } from '../target-url.ts';
import { explainField } from './parsers.ts';

/** Largest `html` part. */
export const MAX_HTML_BYTES = 16 * 1024 * 1024;
/** Largest body of a parse request. */
export const MAX_PARSE_BODY_BYTES = 64 * 1024 * 1024;

const parserParams = z.strictObject({ parserId: idField('parser') });

const extractedData = z.record(z.string(), z.unknown()).describe('Shaped by the parser’s schema.');

export const parseHtml = defineOperation({
  id: 'parseHtml',
  method: 'POST',
  path: '/v1/parse/{parserId}',
  tag: 'Extraction',
  summary: 'Parse uploaded HTML with a parser.',
  description:
    'Free. As a form with a file `html`, or as JSON with the page as a text. The charset of a file is found as a browser does: BOM, charset of the part, meta element.',
  auth: 'key',
  params: parserParams,
  query: z.strictObject({
    explain: explainField,
    url: targetUrlField.optional().describe('Address that the page came from: makes relative URLs absolute.'),
  }),
  body: z.strictObject({ html: z.string().min(1).describe('The page, at most 16 MB.') }),
  bodyLimitBytes: MAX_PARSE_BODY_BYTES,
  upload: {
    parts: { html: { description: 'The page, at most 16 MB.', binary: true, required: true } },
    bodyLimitBytes: MAX_PARSE_BODY_BYTES,
  },
  answer: { kind: 'json-text', status: 200, schema: extractedData },
  errors: [
    'not_found',
    'html_too_large',
    'body_too_large',
    'unsupported_media_type',
    'extraction_failed',
    'concurrency_limit_exceeded',
  ],
  credits: 0,
  tool: 'parse_html',
});

function jsonText<S extends z.ZodType>(what: string, schema: S) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: `is not a JSON object of ${what}` });
        return z.NEVER;
      }
    })
    .pipe(schema as z.ZodType<z.output<S>, unknown>);
}

const config = scrapeConfigSchema.shape;
const JSON_OBJECT = { contentMediaType: 'application/json', description: 'JSON object.' };

export const scrape = defineOperation({
  id: 'scrape',
  method: 'GET',
  path: '/v1/scrape/{parserId}',
  tag: 'Extraction',
  summary: 'Fetch a page and parse it with a parser.',
  description: 'At most 120 seconds. What fails is not charged.',
  auth: 'key',
  params: parserParams,
  query: z.strictObject({
    url: targetUrlField,
    explain: explainField,
    useBrowser: queryBoolean.optional(),
    waitSeconds: queryNumber(config.waitSeconds.unwrap()).optional(),
    waitForBrowser: config.waitForBrowser,
    proxy: config.proxy,
    timeoutSeconds: queryNumber(config.timeoutSeconds.unwrap()).optional(),
    headers: jsonText('header names and values', config.headers.unwrap()).optional().meta(JSON_OBJECT),
    cookies: jsonText('cookie names and values', config.cookies.unwrap()).optional().meta(JSON_OBJECT),
    country: config.country,
    blockResources: queryBoolean.optional(),
    respectRobots: queryBoolean.optional(),
    retries: queryNumber(config.retries.unwrap()).optional(),
  }),
  answer: { kind: 'json-text', status: 200, schema: extractedData },
  errors: [
    'insufficient_credits',
    'not_found',
    'extraction_failed',
    'concurrency_limit_exceeded',
    'fetch_failed',
    'target_blocked',
    'fetch_timed_out',
  ],
  credits: 'scrape',
  tool: 'scrape',
});
