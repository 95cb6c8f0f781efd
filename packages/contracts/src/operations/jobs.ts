import { z } from 'zod';
import { idField, listAnswer, nullIsAbsent, timestampField } from '../fields.ts';
import { operationsOf, accepted, json, orDryRun } from '../define-operation.ts';
import { RESULT_MODES } from '../values/index.ts';
import { shownConfigSchema } from '../fetching/scrape-config.ts';

import { shownSinkSchema } from '../runs/sinks.ts';
import { targetSchema } from '../runs/targets.ts';
import { targetUrlField } from '../fetching/target-url.ts';
import {
  dryRunSchema,
  fetchedFields,
  runFields,
  runOutcomeFields,
  runsQuery,
  runStateField,
  shownRunFields,
  taskPhasesSchema,
  waitingSchema,
} from './runs.ts';

const define = operationsOf({ tag: 'Jobs', auth: 'key' });

/** Why a task failed, in the form of an error response. */
export const taskErrorSchema = z.object({
  error: z.string().describe('Stable text of the error catalogue.'),
  field: z.string().optional(),
  detail: z.string().optional(),
  hint: z.string().optional(),
});

export const jobSchema = z
  .object({
    id: idField('job'),
    status: runStateField,
    ...runOutcomeFields,
    target: targetSchema,
    url: z.string().nullable(),
    input: z.record(z.string(), z.unknown()).nullable(),
    mode: z.enum(RESULT_MODES),
    scrape_config: shownConfigSchema,
    sink: shownSinkSchema,
    ...shownRunFields,
    result: z
      .unknown()
      .describe('The extracted data once it succeeded; kept for 24 hours. Null in database mode.'),
    result_removed: z
      .boolean()
      .describe(
        'True when the job succeeded, and its result was removed 24 hours after the job was created.',
      ),
    error: taskErrorSchema.nullable(),
    attempts: z.int(),
    phases: taskPhasesSchema
      .nullable()
      .describe('How long the phases of its last attempt took; null until it ends and when unknown.'),
    fetched_by: fetchedFields.fetched_by,
    price: fetchedFields.price.nullable(),
    credits_used: z.int(),
    waiting: waitingSchema,
    created_at: timestampField,
    started_at: timestampField.nullable(),
    finished_at: timestampField.nullable(),
    expires_at: timestampField.nullable(),
  })
  .meta({ id: 'Job' });

export type JobRecord = z.input<typeof jobSchema>;

const jobParams = z.strictObject({ id: idField('job') });

export const createJob = define('createJob', 'POST /v1/jobs', {
  summary: 'Run one target with one input in the background.',
  description: 'The price is reserved now and charged when the job succeeds.',
  body: z.strictObject({
    ...runFields,
    url: nullIsAbsent(targetUrlField).describe('For parsers: the page.'),
    input: nullIsAbsent(z.record(z.string(), z.unknown())).describe('For prebuilt APIs: the parameters.'),
  }),
  answer: orDryRun(accepted(jobSchema), dryRunSchema),
  errors: ['not_found', 'pending_limit'],
  credits: 'scrape',
  creates: true,
});

export const listJobs = define('listJobs', 'GET /v1/jobs', {
  summary: 'Jobs of the account, newest first.',
  description: 'Without results; read a single job for its result.',
  query: runsQuery.extend({
    search: runsQuery.shape.search.describe('Only those whose page has this text, or with this id.'),
  }),
  answer: json(listAnswer('jobs', jobSchema)),
  fairShare: 'call',
});

export const getJob = define('getJob', 'GET /v1/jobs/{id}', {
  summary: 'One job with its result.',
  params: jobParams,
  answer: json(jobSchema),
  fairShare: 'call',
});

export const deleteJob = define('deleteJob', 'DELETE /v1/jobs/{id}', {
  summary: 'Remove the result of an ended job.',
  description:
    'The record stays with its credits; result, error, held rows and the kept page can be read no more. Rows of tables stay.',
  params: jobParams,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
});

export const cancelJob = define('cancelJob', 'POST /v1/jobs/{id}/cancel', {
  summary: 'Cancel a job and release its reservation.',
  params: jobParams,
  answer: json(jobSchema),
  errors: ['already_finished'],
});
