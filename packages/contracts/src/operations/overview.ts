import { z } from 'zod';
import { listAnswer, listQuery, timestampField } from '../fields.ts';
import { operationsOf, json } from '../define-operation.ts';
import { cronTargetSchema } from '../runs/targets.ts';
import { COLLECTION_KINDS, FIRING_OUTCOMES } from '../values/index.ts';
import { failureCausesField, rowChangesField, rowChangesSchema, runStateField } from './runs.ts';

const define = operationsOf({ tag: 'Overview', auth: 'key' });

/** The latest runs that each collection shows. */
export const SHOWN_RUNS = 30;

const collectionRunSchema = z
  .object({
    run_id: z.string().nullable().describe('A batch or a workflow run; null for a firing without one.'),
    at: timestampField.describe('When it was due, or made.'),
    outcome: z.enum(FIRING_OUTCOMES).describe('Of the firing; started for batches.'),
    status: runStateField.nullable().describe('Null without a run, and when the run is deleted.'),
    total: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    held: z.int().describe('Rows that are held back and wait for a decision.'),
    rows: rowChangesField,
  })
  .meta({ id: 'CollectionRun' });

const collectionSchema = z
  .object({
    id: z.string().describe('The id of its cron, or of its parser.'),
    kind: z.enum(COLLECTION_KINDS),
    name: z.string(),
    target: cronTargetSchema,
    database: z.string().nullable().describe('Where its rows go; null for workflows, whose stages say it.'),
    table: z.string().nullable(),
    schedule: z.string().nullable().describe('Null without a cron.'),
    timezone: z.string().nullable(),
    enabled: z.boolean().describe('Whether it runs by itself.'),
    paused_reason: z.string().nullable().describe('Why its cron paused itself.'),
    next_run_at: timestampField.nullable(),
    created_at: timestampField,
    credits: z.int().describe('What it used in the last 30 days.'),
    changed: rowChangesSchema
      .nullable()
      .describe(
        'What its runs of the last 24 hours changed; null when none wrote to a table that keeps its changes.',
      ),
    runs: z.array(collectionRunSchema).describe(`The latest ${SHOWN_RUNS}, newest first.`),
  })
  .meta({ id: 'Collection' });

export const listCollections = define('listCollections', 'GET /v1/collections', {
  summary: 'Crons, and parsers whose batches fill a table, with their latest runs.',
  description:
    'Those with the latest firing or batch first. A parser is listed for the table of its latest batch, among the latest 2,000 batches that no cron made.',
  query: listQuery.extend({
    id: z.string().max(80).optional().describe('Only the collection of this cron or parser.'),
  }),
  answer: json(listAnswer('collections', collectionSchema)),
  fairShare: 'call',
});

const cause = failureCausesField.unwrap().element.shape;

export const getOverview = define('getOverview', 'GET /v1/overview', {
  summary: 'What failed, what paused itself and what runs next.',
  answer: json(
    z.object({
      causes: z
        .array(
          z.object({
            ...cause,
            runs: z
              .array(z.string())
              .describe('Batches and workflow runs with such failures, the latest first.'),
            jobs: z.int().describe('How many of the failures are jobs.'),
          }),
        )
        .describe(
          'Failures of the last 24 hours by cause, most frequent first: of the latest 20 runs and the latest 200 jobs that have any.',
        ),
      paused: z
        .array(z.object({ id: z.string(), name: z.string(), reason: z.string() }))
        .describe('Up to 20 crons that paused themselves.'),
      upcoming: z
        .array(z.object({ id: z.string(), name: z.string(), at: timestampField }))
        .describe('The next 10 firings that are due, one for each cron.'),
    }),
  ),
  fairShare: 'call',
});
