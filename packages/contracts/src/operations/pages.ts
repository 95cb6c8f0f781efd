import { z } from 'zod';
import {
  idField,
  listAnswer,
  listQuery,
  nameField,
  nullIsAbsent,
  timestampField,
  versionField,
} from '../fields.ts';
import { operationsOf, json, accepted } from '../define-operation.ts';
import { matchField } from '../runs/crawls.ts';
import { sinkSchema } from '../runs/sinks.ts';
import { parserTarget } from '../runs/targets.ts';
import { REPARSED_PAGES } from '../values/index.ts';
import { batchSchema } from './batches.ts';

const defineForPages = operationsOf({ tag: 'Pages', auth: 'key' });
const defineForBatches = operationsOf({ tag: 'Batches', auth: 'key' });

const runField = z.string().max(120);

const pageFields = {
  id: idField('page'),
  run_id: z.string().describe('The job, batch or workflow run that fetched it.'),
  seq: z.int().describe('Position of its input in the run, from 0.'),
  url: z.string(),
  final_url: z.string().describe('Address after redirects.'),
  status: z.int().describe('HTTP status.'),
  content_type: z.string().nullable(),
  fetched_at: timestampField,
  size_bytes: z.int(),
  error: z.string().nullable().describe('Why the parser failed on it; null when it gave data.'),
  expires_at: timestampField,
};

const pageSchema = z.object(pageFields).meta({ id: 'KeptPage' });

export type KeptPageRecord = z.input<typeof pageSchema>;

export const listPages = defineForPages('listPages', 'GET /v1/pages', {
  summary: 'Pages that runs kept, newest first.',
  query: listQuery.extend({
    run: runField.optional().describe('Only pages of this run, or of a part of it: `run_…/map`.'),
    url: z.string().max(8192).optional().describe('Only pages of this input address.'),
  }),
  answer: json(listAnswer('pages', pageSchema)),
  fairShare: 'call',
});

export const getPage = defineForPages('getPage', 'GET /v1/pages/{id}', {
  summary: 'One kept page with its HTML.',
  params: z.strictObject({ id: idField('page') }),
  answer: json(
    z.object({ ...pageFields, html: z.string().describe('The HTML, decoded like in a browser.') }),
  ),
  fairShare: 'call',
});

/** Most pages of one re-parse. */
export const MAX_REPARSED_PAGES = 100_000;

export const parsePages = defineForPages('parsePages', 'POST /v1/pages/parse', {
  summary: 'Run a parser over the pages that a run kept, without fetching them.',
  description:
    'Makes a batch at price 0, also of the pages of a crawl or a map that was made with `keep_pages: all`. A row counts as fetched when its page was, so it never overwrites a row of a later fetch.',
  body: z.strictObject({
    run: runField.describe('The run that kept them: a job, a batch, a run of a workflow, a crawl or a map.'),
    match: matchField.optional().describe('Only pages with such addresses, as in a route: `/product/*`.'),
    target: parserTarget,
    sink: sinkSchema.optional(),
    name: nullIsAbsent(nameField),
  }),
  answer: accepted(batchSchema),
  errors: ['not_found', 'pending_limit'],
  creates: true,
});

export const reparseBatch = defineForBatches('reparseBatch', 'POST /v1/batches/{id}/reparse', {
  summary: 'Run a version of the parser over the pages that a batch kept, without fetching them.',
  description:
    'Makes a batch at price 0 with the same sink. A row counts as fetched when its page was, so it never overwrites a row of a later fetch.',
  params: z.strictObject({ id: idField('batch') }),
  body: z.strictObject({
    version: versionField.optional().describe('Version of the parser. Default: the current one.'),
    pages: z
      .enum(REPARSED_PAGES)
      .default('all')
      .describe(
        'all kept pages; failed: those on which the parser failed; quarantined: those of rows that are held back. Rows that are held back count as re-parsed then.',
      ),
  }),
  answer: accepted(batchSchema),
  errors: ['pending_limit'],
  creates: true,
});
