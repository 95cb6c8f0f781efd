import { z } from 'zod';
import {
  idField,
  listAnswer,
  listQuery,
  MAX_INTEGER,
  queryBoolean,
  refField,
  timestampField,
  schemaField,
  versionField,
} from '../fields.ts';
import { accepted, operationsOf, json } from '../define-operation.ts';
import {
  ABSENT_DECISIONS,
  FIELD_FAULTS,
  HEALTH_STATES,
  QUARANTINE_STATES,
  REPAIR_RESULTS,
  VALUE_KINDS,
} from '../values/index.ts';
import { failuresByCause, publicationField } from './runs.ts';
import { confidenceField } from './suggest.ts';

const defineForParsers = operationsOf({ tag: 'Parsers', auth: 'key' });
const defineForBatches = operationsOf({ tag: 'Batches', auth: 'key' });

const fieldHealth = z.object({
  path: z.string(),
  fill_rate: z.number().nullable().describe('Share of pages with a value, as learned before any drift.'),
  pages: z.int().describe('Pages that the rate was learned from; old ones count less.'),
  is_broken: z.boolean(),
  absent_since: timestampField
    .nullable()
    .describe(
      'The version before read the field, and this one never has: since when. Decide with decideAbsentFields. Null: it is not so, or the field was kept.',
    ),
  broken_by: z
    .array(z.enum(FIELD_FAULTS))
    .describe(
      'missing: pages lack the value; shape: texts are written in another way; range: numbers, lengths or counts are outside the usual ones; repeated: successive pages have the same value.',
    ),
  values: z
    .object({
      kind: z.enum(VALUE_KINDS),
      shapes: z
        .array(z.string())
        .describe(
          'How texts are usually written, the most frequent first: w is words, 9 a number, 9999 the year of a date.',
        ),
      least: z.number().nullable(),
      most: z.number().nullable(),
      samples: z.array(z.string()).describe('The last usual values that differ, shortened.'),
    })
    .nullable()
    .describe(
      'The usual values. `least` and `most` are the limits of numbers, of lengths of texts, or of the items of lists.',
    ),
  suspicion: z
    .number()
    .describe(
      'From 0 to 1: how near the field is to an alarm. Pages that lack the value or have an unusual one raise it, others lower it.',
    ),
});

const hostHealth = z.object({
  version: z.int(),
  is_current: z.boolean().describe('Whether it is the version of the parser now: only that is repaired.'),
  host: z.string().describe('`*`: all hosts beyond the first 100 of this version, together.'),
  state: z
    .enum(HEALTH_STATES)
    .describe(
      'degraded: some fields no longer have values, or have other ones than before, or are absent since an earlier version; broken: most of them, or the extraction fails.',
    ),
  pages: z.int(),
  fields: z.array(fieldHealth),
  structure: z
    .object({
      usual: z.number().describe('Similarity of the pages, from 0 to 1.'),
      recent: z.number().describe('Similarity of the last pages to earlier ones, from 0 to 1.'),
      is_changed: z.boolean().describe('Whether the structure of the last pages has changed.'),
    })
    .nullable()
    .describe(
      'Structure of the pages: the names and classes of their elements, from about every eighth page. It explains alarms and raises none. Null when too few pages are known.',
    ),
  failures: z.array(failuresByCause).describe('Failures by cause.'),
  example: z
    .object({
      url: z.string(),
      run_id: z.string(),
      seq: z.int(),
      page: idField('page').nullable().describe('The page as it was fetched, while it is kept.'),
    })
    .nullable()
    .describe('The last page with a missing or unusual value.'),
  changed_at: timestampField.describe('When the state changed.'),
  updated_at: timestampField,
});

export const getParserHealth = defineForParsers('getParserHealth', 'GET /v1/parsers/{id}/health', {
  summary: 'Health of the versions of a parser on each host.',
  params: z.strictObject({ id: refField('parser') }),
  answer: json(
    z.object({
      hosts: z.array(hostHealth).describe('The 200 that were used last.'),
      days: z
        .array(
          z.object({
            day: z.string().describe('Of UTC: `2026-03-01`.'),
            fields: z.array(z.object({ path: z.string(), pages: z.int(), filled: z.int() })),
          }),
        )
        .describe(
          'The last 30 days on which it read pages, oldest first: of how many pages each field had a value.',
        ),
    }),
  ),
  errors: ['in_use'],
});

const alarmSchema = hostHealth
  .pick({ version: true, host: true, state: true })
  .extend({
    parser: z.object({ id: idField('parser'), name: z.string() }),
    fields: z
      .array(z.string())
      .describe('Paths of the broken and absent fields; `*`: the extraction as a whole.'),
    since: timestampField.describe('When the run began whose pages raised it.'),
  })
  .meta({ id: 'Alarm' });

export const listAlarms = defineForParsers('listAlarms', 'GET /v1/parsers/alarms', {
  summary: 'Parsers that no longer read what they did before, by host.',
  description:
    'Of current versions, and of versions that an enabled cron uses. The event `parser.drift` reports each new one.',
  answer: json(z.object({ alarms: z.array(alarmSchema).describe('The latest 1,000, newest first.') })),
});

export const resetParserHealth = defineForParsers('resetParserHealth', 'POST /v1/parsers/{id}/health/reset', {
  summary: 'Forget what was learned about a host, and start learning again.',
  description:
    'Use it after an intended change of the site: values that were unusual become usual. Rows that are held back stay held until you release or discard them.',
  params: z.strictObject({ id: refField('parser') }),
  body: z.strictObject({
    host: z.string().min(1).max(255).describe('As getParserHealth lists it.'),
    version: versionField.optional().describe('Default: all versions.'),
  }),
  answer: json(
    z.object({
      reset: z.int().describe('Versions whose statistics start again on this host; 0 where none has any.'),
    }),
  ),
  errors: ['in_use'],
});

export const decideAbsentFields = defineForParsers(
  'decideAbsentFields',
  'POST /v1/parsers/{id}/health/absent',
  {
    stores: true,
    summary: 'Keep or drop fields that are no longer on the pages.',
    description:
      'Of fields whose `absent_since` getParserHealth names. keep: their absence is normal from now on, on all hosts; a value that returns is read. drop: saves a version without them.',
    params: z.strictObject({ id: refField('parser') }),
    body: z.strictObject({
      fields: z
        .array(z.string().min(1).max(1_000))
        .min(1)
        .max(200)
        .describe('Paths, as getParserHealth lists them.'),
      decision: z.enum(ABSENT_DECISIONS),
    }),
    answer: json(z.object({ version: z.int().describe('The current version; a new one after drop.') })),
    errors: ['in_use', 'temporarily_unavailable'],
  },
);

export const proposeParserRepair = defineForParsers('proposeParserRepair', 'POST /v1/parsers/{id}/repair', {
  summary: 'Propose a repair of a broken parser from the rows that it gave before.',
  description:
    'Takes kept pages of a batch with a database sink and the rows that the table has for their addresses. It stores nothing: to accept, send `schema` with PUT /v1/parsers/{id}.',
  params: z.strictObject({ id: refField('parser') }),
  body: z.strictObject({
    batch: idField('batch').describe('Identifier of a batch that kept the changed pages.'),
  }),
  answer: json(
    z.object({
      schema: schemaField.nullable().describe('Null: nothing could be repaired.'),
      version: z.int().describe('The version that it repairs.'),
      fields: z.array(
        z.object({
          path: z.string(),
          state: z
            .enum(REPAIR_RESULTS)
            .describe('kept: it still works; lost: too few of its earlier values are on the pages.'),
          before: z.unknown(),
          after: z.unknown(),
          confidence: confidenceField,
          reason: z.string(),
          verified: z
            .object({ pages: z.int(), filled: z.int() })
            .nullable()
            .describe('Number of further kept pages on which the repaired field has a value.'),
          examples: z
            .array(z.object({ url: z.string(), earlier: z.unknown(), read: z.unknown() }))
            .describe('On up to three pages: the value of the earlier row, and what the proposal reads now.'),
        }),
      ),
      pages: z.array(z.string()).describe('Kept pages that it learned from.'),
    }),
  ),
  errors: ['in_use', 'extraction_failed'],
  fairShare: 'call',
});

const runParams = z.strictObject({ id: idField('batch, job or workflow run') });
const stageField = z
  .string()
  .max(63)
  .optional()
  .describe('Of a workflow run: rows of this stage alone, as the rows name it.');

export const listQuarantinedRows = defineForBatches(
  'listQuarantinedRows',
  'GET /v1/batches/{id}/quarantine',
  {
    summary: 'Rows of a batch, a job or a workflow run that are held back because the parser seems broken.',
    params: runParams,
    query: listQuery.extend({
      state: z.enum(QUARANTINE_STATES).optional(),
      stage: stageField,
      with_current: queryBoolean
        .optional()
        .describe(
          'Add `current`: the row that the table has under the same key. Needs a sink with one row per page.',
        ),
    }),
    answer: json(
      listAnswer(
        'rows',
        z.object({
          seq: z.int().describe('Position of its input in the batch or stage, from 0.'),
          stage: z.string().nullable().describe('Of a workflow run: its stage or route. Null for others.'),
          url: z.string(),
          state: z
            .enum(QUARANTINE_STATES)
            .describe(
              'suspect: only its page looks wrong, it is written when the parser proves healthy; held: it waits for you.',
            ),
          reason: z.string(),
          data: z.unknown(),
          fetched_at: timestampField,
          current: z
            .object({ fetched_at: timestampField.nullable(), data: z.record(z.string(), z.unknown()) })
            .nullable()
            .optional()
            .describe(
              'With `with_current`: what writing the row would replace; null when the table has no row.',
            ),
        }),
      ),
    ),
    fairShare: 'call',
  },
);

/** Which rows that are held back. */
export const heldRowsBody = z.strictObject({
  seqs: z
    .array(z.int().min(0).max(MAX_INTEGER))
    .min(1)
    .max(1_000)
    .optional()
    .describe('Default: all that are held back. Of a workflow run with several stages, send `stage` too.'),
  stage: stageField,
});

export const releaseQuarantinedRows = defineForBatches(
  'releaseQuarantinedRows',
  'POST /v1/batches/{id}/quarantine/release',
  {
    stores: true,
    summary: 'Write rows that are held back, unchanged.',
    params: runParams,
    body: heldRowsBody,
    answer: json(z.object({ releasing: z.int().describe('Rows that are written within seconds.') })),
  },
);

export const discardQuarantinedRows = defineForBatches(
  'discardQuarantinedRows',
  'POST /v1/batches/{id}/quarantine/discard',
  {
    summary: 'Drop rows that are held back: they are never written.',
    params: runParams,
    body: heldRowsBody,
    answer: json(z.object({ discarded: z.int() })),
  },
);

const decidedSchema = z.object({ id: z.string(), publication: publicationField });

export const publishRun = defineForBatches('publishRun', 'POST /v1/batches/{id}/publish', {
  summary: 'Make the removals that a batch, a job or a workflow run holds back.',
  description: 'Rows that somebody fetched meanwhile stay.',
  params: runParams,
  answer: accepted(decidedSchema),
  errors: ['already_finished'],
});

export const discardRun = defineForBatches('discardRun', 'POST /v1/batches/{id}/discard', {
  summary: 'Drop the removals that a batch, a job or a workflow run holds back: its rows stay.',
  params: runParams,
  answer: json(decidedSchema),
  errors: ['already_finished'],
});
