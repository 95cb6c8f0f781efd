import { z } from 'zod';
import {
  changedSlugField,
  idField,
  listAnswer,
  listQuery,
  nameField,
  nullIsAbsent,
  refField,
  searchQuery,
  shownSlugField,
  slugField,
  timeField,
  timestampField,
} from '../fields.ts';
import { operationsOf, created, json, accepted, orDryRun } from '../define-operation.ts';
import { isTimeZone, leastIntervalSeconds, ScheduleError } from '../schedules/index.ts';
import { scrapeConfigSchema } from '../fetching/scrape-config.ts';
import { carrySchema } from '../runs/carry.ts';
import { keepPagesSchema } from '../runs/keep-pages.ts';
import { sinkSchema } from '../runs/sinks.ts';
import { cronSinceField, sourceField } from '../runs/sources.ts';
import { cronTargetSchema } from '../runs/targets.ts';
import { targetUrlField } from '../fetching/target-url.ts';
import { FIRING_CAUSES, FIRING_OUTCOMES, OVERLAPS } from '../values/index.ts';

import {
  dryRunSchema,
  leastMost,
  maxCreditsField,
  publicationField,
  rowChangesField,
  runStateField,
} from './runs.ts';

const define = operationsOf({ tag: 'Crons', auth: 'key' });

/** The most inputs of one cron. */
export const MAX_CRON_INPUTS = 10_000;
/** The most firings of one backfill. */
export const MAX_BACKFILL = 100;
const PREVIEWED = 10;

function scheduleFault(text: string): string | undefined {
  try {
    // Any interval is enough: only a schedule that never fires has none.
    return leastIntervalSeconds(text) === Infinity ? 'never fires' : undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

const scheduleField = z
  .string()
  .max(200)
  .superRefine((text, ctx) => {
    const message = scheduleFault(text);
    if (message !== undefined) ctx.addIssue({ code: 'custom', message });
  })
  .describe(
    'Five fields: minute, hour, day of month, month, day of week (0 and 7 are Sunday; also MON, JAN). When both days are restricted, either is enough.',
  );

export const timezoneField = z
  .string()
  .refine(isTimeZone, 'is not a name of the IANA time zone database, such as Europe/Berlin')
  .describe('IANA name of the schedule’s time zone. Default: UTC.');

const inputsField = z
  .array(z.union([z.string(), z.record(z.string(), z.unknown())]))
  .min(1)
  .max(MAX_CRON_INPUTS)
  .describe('URLs, `{url, …}`, or the parameters of a prebuilt API.');

const overlapField = z
  .enum(OVERLAPS)
  .describe(
    'What a firing does while an earlier run is unfinished. skip: it does not run; queue: it waits, at most one firing; replace: it cancels the earlier run; allow: both run.',
  );

const catchupField = z
  .int()
  .min(0)
  .max(31_536_000)
  .describe('A missed firing still runs, once, within so many seconds. Default: until the next one is due.');

const pauseField = z
  .int()
  .min(1)
  .max(1_000)
  .describe('The cron pauses itself after this many failures in a row.');

const cronFields = z.strictObject({
  name: nameField,
  slug: nullIsAbsent(slugField),
  description: z.string().max(2_000),
  url: nullIsAbsent(targetUrlField).describe('For parsers: the only page.'),
  inputs: nullIsAbsent(inputsField),
  source: nullIsAbsent(sourceField),
  since: cronSinceField.nullable().optional(),
  schedule: scheduleField,
  timezone: timezoneField.optional(),
  target: cronTargetSchema,
  scrape_config: scrapeConfigSchema.optional(),
  sink: nullIsAbsent(sinkSchema).describe('Parser and API targets need a database sink.'),
  enabled: z.boolean().optional().describe('Default: true.'),
  overlap: overlapField.optional().describe('Default: skip.'),
  catchup_seconds: catchupField.nullable().optional(),
  pause_after_failures: pauseField.optional().describe('Default: 10.'),
  max_credits: maxCreditsField.nullable().optional().describe('Maximum credits that one firing may charge.'),
  keep_pages: keepPagesSchema.nullable().optional(),
  carry: carrySchema.nullable().optional(),
});

const firingSchema = z
  .object({
    id: idField('firing'),
    scheduled_at: timestampField.describe('When it was due.'),
    fired_at: timestampField.nullable().describe('When its run was created; null without a run.'),
    outcome: z.enum(FIRING_OUTCOMES),
    reason: z.string().nullable().describe('Why it has no run, for example `overlap`.'),
    run_id: z.string().nullable().describe('Its run: a batch, or a workflow run.'),
    cause: z.enum(FIRING_CAUSES),
  })
  .meta({ id: 'CronFiring' });

const listedFiringSchema = firingSchema
  .extend({
    run: z
      .object({
        status: runStateField,
        total: z.int(),
        succeeded: z.int(),
        failed: z.int(),
        held: z.int().describe('Rows that are held back and wait for a decision.'),
        rows: rowChangesField,
        publication: publicationField,
      })
      .nullable()
      .describe('What became of its run, in inputs; null without a run, and when the run is deleted.'),
  })
  .meta({ id: 'ListedCronFiring' });

export type FiringRecord = z.input<typeof firingSchema>;

const cronSchema = z
  .object({
    id: idField('cron'),
    slug: shownSlugField,
    name: z.string(),
    description: z.string(),
    url: z.string().nullable(),
    inputs: z
      .array(z.unknown())
      .nullable()
      .optional()
      .describe('Absent in lists. Null when the cron has a `url` or a `source`.'),
    source: z.object({ sitemap: z.string().optional(), feed: z.string().optional() }).nullable(),
    since: z.string().nullable(),
    input_count: z.int().describe('1 for a source.'),
    schedule: z.string(),
    timezone: z.string(),
    target: cronTargetSchema,
    scrape_config: scrapeConfigSchema,
    sink: sinkSchema.nullable(),
    enabled: z.boolean(),
    overlap: z.enum(OVERLAPS),
    catchup_seconds: z.int().nullable(),
    pause_after_failures: z.int(),
    max_credits: z.int().nullable(),
    keep_pages: z.string().nullable().describe('Null: the default, failed.'),
    carry: carrySchema.nullable(),
    next_run_at: timestampField.nullable().describe('Null while the cron is not enabled.'),
    failures: z.int().describe('Failures in a row: refused firings and failed runs.'),
    paused_reason: z.string().nullable().describe('Why the cron paused itself.'),
    last_firing: listedFiringSchema.nullable(),
    created_at: timestampField,
    updated_at: timestampField,
  })
  .meta({ id: 'Cron' });

export type CronRecord = z.input<typeof cronSchema>;

const params = z.strictObject({ id: refField('cron') });

export const createCron = define('createCron', 'POST /v1/crons', {
  summary: 'Run a target on a schedule.',
  description:
    'Each firing creates a run with all inputs, which reserves its price like a batch. `dry_run: true` only reports what one firing would do.',
  body: cronFields.extend({
    dry_run: z.boolean().optional().describe('Report what a firing would do, and store nothing.'),
  }),
  answer: orDryRun(created(cronSchema), dryRunSchema),
  errors: ['not_found', 'name_taken', 'plan_limit_exceeded'],
  creates: true,
  showsSecret: true,
  tool: 'create_cron',
});

export const listCrons = define('listCrons', 'GET /v1/crons', {
  summary: 'Crons of the account, newest first.',
  query: searchQuery,
  answer: json(listAnswer('crons', cronSchema)),
  fairShare: 'call',
});

export const getCron = define('getCron', 'GET /v1/crons/{id}', {
  summary: 'One cron with its next run.',
  params,
  answer: json(cronSchema),
});

export const updateCron = define('updateCron', 'PUT /v1/crons/{id}', {
  summary: 'Change a cron, pause it or resume it.',
  description:
    'Absent fields stay unchanged. `url`, `inputs` and `source` replace each other. `enabled: true` also resets the failure count. Running runs continue.',
  params,
  body: cronFields.partial().extend({ slug: changedSlugField }),
  answer: json(cronSchema),
  errors: ['name_taken', 'plan_limit_exceeded'],
});

export const deleteCron = define('deleteCron', 'DELETE /v1/crons/{id}', {
  summary: 'Delete a cron with its list of firings. Its runs stay.',
  params,
  answer: { kind: 'empty', status: 204 },
});

export const triggerCron = define('triggerCron', 'POST /v1/crons/{id}/trigger', {
  summary: 'Fire a cron now, also while it is paused.',
  description: 'Its `overlap` applies. A refused firing is returned as an error and is not listed.',
  params,
  answer: accepted(firingSchema),
  errors: ['insufficient_credits', 'pending_limit'],
  creates: true,
});

export const previewCron = define('previewCron', 'POST /v1/crons/preview', {
  summary: `The next ${PREVIEWED} times at which a schedule fires.`,
  body: z.strictObject({ schedule: scheduleField, timezone: timezoneField.optional() }),
  answer: json(
    z.object({
      times: z.array(timestampField),
      note: z.string().nullable().describe('What other crons would read differently.'),
    }),
  ),
});

export const listCronRuns = define('listCronRuns', 'GET /v1/crons/{id}/runs', {
  summary: 'Firings of a cron, newest first.',
  params,
  query: listQuery,
  answer: json(listAnswer('runs', listedFiringSchema)),
  fairShare: 'call',
});

export const backfillCron = define('backfillCron', 'POST /v1/crons/{id}/backfill', {
  summary: 'Run the missed firings between two times in the past.',
  description: `Firings that ran do not run again. The others run one after another, oldest first, at most ${MAX_BACKFILL}.`,
  params,
  body: z.strictObject({
    from: timeField.describe('Start of the period, inclusive; not before the cron was made.'),
    to: timeField.describe('End of the period, inclusive; must be in the past.'),
    dry_run: z.boolean().optional().describe('Report what it would do, and queue nothing.'),
  }),
  answer: orDryRun(
    accepted(z.object({ queued: z.int().describe('Firings that now wait to run.') })),
    z
      .object({
        dry_run: z.literal(true),
        firings: z.int().describe('Firings that would run.'),
        inputs: z.int().describe('Inputs of all of them together.'),
        credits: leastMost.describe('What all of them may charge together.'),
      })
      .meta({ id: 'BackfillDryRun' }),
  ),
  creates: true,
});
