import { hasPage, PAGE_ERRORS } from './page-errors.ts';
import { z } from 'zod';
import { idField, refField, timestampField } from '../fields.ts';
import { operationsOf, created, json } from '../define-operation.ts';
import { targetUrlField } from '../fetching/target-url.ts';

const define = operationsOf({ tag: 'Parsers', auth: 'key' });

/** Samples of one parser. */
export const MAX_SAMPLES = 50;
/** Bytes of a sample's page. */
export const MAX_SAMPLE_BYTES = 4 * 1024 * 1024;

const sampleSchema = z
  .object({
    id: idField('sample'),
    url: z.string().nullable(),
    expected: z.record(z.string(), z.unknown()).nullable(),
    size_bytes: z.int(),
    created_at: timestampField,
  })
  .meta({ id: 'ParserSample' });

const expectedField = z.union([z.literal('current'), z.record(z.string(), z.unknown())]);
const parserParams = z.strictObject({ id: refField('parser') });

export const createParserSample = define('createParserSample', 'POST /v1/parsers/{id}/samples', {
  summary: 'Keep a page on which each new version of the parser is tried.',
  description:
    'The page is uploaded HTML, a URL that is fetched at the price of a scrape, or a kept page of a run.',
  params: parserParams,
  body: z
    .strictObject({
      html: z.string().min(1).optional().describe('The page, at most 4 MB.'),
      url: targetUrlField.optional().describe('Page to fetch; with `html`: the address that it came from.'),
      page: idField('page').optional().describe('Identifier of a kept page.'),
      expected: expectedField
        .optional()
        .describe(
          'Values by field that each version must read: a field that is left out is not tested. `current`: what the current version reads now, whole. At most 1,000,000 characters of JSON, and 8,000,000 of all samples of the parser.',
        ),
    })
    .refine((body) => (body.page === undefined) === hasPage(body), {
      path: ['html'],
      message: 'give html, url or page',
    }),
  bodyLimitBytes: 16 * 1024 * 1024,
  answer: created(sampleSchema),
  errors: [...PAGE_ERRORS, 'in_use', 'plan_limit_exceeded'],
  credits: 'scrape',
  creates: true,
});

export const listParserSamples = define('listParserSamples', 'GET /v1/parsers/{id}/samples', {
  summary: 'Samples of a parser, at most 50.',
  params: parserParams,
  answer: json(z.object({ samples: z.array(sampleSchema) })),
  errors: ['in_use'],
});

const sampleParams = z.strictObject({ id: refField('parser'), sample: idField('sample') });

export const getParserSample = define('getParserSample', 'GET /v1/parsers/{id}/samples/{sample}', {
  summary: 'One sample with its page, and what the current version reads on it.',
  params: sampleParams,
  answer: json(
    z.object({
      ...sampleSchema.shape,
      html: z.string(),
      read: z.record(z.string(), z.unknown()).describe('Fields that fail are null.'),
    }),
  ),
  errors: ['in_use'],
  fairShare: 'call',
});

export const updateParserSample = define('updateParserSample', 'PUT /v1/parsers/{id}/samples/{sample}', {
  summary: 'Replace what a sample expects.',
  params: sampleParams,
  body: z.strictObject({
    expected: expectedField
      .nullable()
      .describe('The same as for a new sample; null: the sample has no expectations and only shows changes.'),
  }),
  answer: json(sampleSchema),
  errors: ['in_use', 'extraction_failed', 'plan_limit_exceeded'],
  fairShare: 'call',
});

export const deleteParserSample = define('deleteParserSample', 'DELETE /v1/parsers/{id}/samples/{sample}', {
  summary: 'Delete a sample.',
  params: sampleParams,
  answer: { kind: 'empty', status: 204 },
});
