import { z } from 'zod';
import {
  identifierField,
  nullIsAbsent,
  queryBoolean,
  queryNumber,
  refField,
  searchQuery,
  timeField,
  timestampField,
} from '../fields.ts';
import { scrapeConfigSchema } from '../fetching/scrape-config.ts';
import { keepPagesSchema } from '../runs/keep-pages.ts';
import { sinkSchema } from '../runs/sinks.ts';
import { targetSchema } from '../runs/targets.ts';
import { PUBLICATIONS, RUN_STATES } from '../values/index.ts';
import { webhookUrlField } from './webhooks.ts';

export const runStateField = z.enum(RUN_STATES);

/** The filters of every list of runs. */
const runFilters = {
  status: runStateField.optional(),
  held: queryBoolean.optional().describe('Only those with rows that are held back; false: without.'),
  has_failures: queryBoolean
    .optional()
    .describe('Only those with failed inputs, whatever their state; false: without.'),
  table: identifierField.optional().describe('Only those that write to a table of this name.'),
  cron: refField('cron').optional().describe('Only the runs of this cron: its id or slug.'),
  from: timeField.optional().describe('Only those created at this time or later.'),
  to: timeField.optional().describe('Only those created before this time.'),
};

/** A list of runs whose targets differ. */
export const rootRunsQuery = searchQuery.extend(runFilters);

/** A list of runs. */
export const runsQuery = rootRunsQuery.extend({
  parser: refField('parser').optional().describe('Only those that read with this parser.'),
});

export const maxCreditsField = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .describe('Maximum credits that this may charge.');

const dryRunField = z.boolean().describe('Only report what it would do.');

/** What records show of how a run was limited. */
export const shownRunFields = {
  max_credits: z.int().nullable().describe('What it may charge at most; null: its whole price.'),
  keep_pages: z.string().nullable().describe('Null: the default, failed.'),
};

export const causeField = z
  .string()
  .max(200)
  .describe(
    'Only the inputs that failed by this: the text of an error, or `cause` of one of the causes of the failures.',
  );

/** Why inputs of a run failed: all of the same error and reason. */
export const failureCausesField = z
  .array(
    z.object({
      cause: z.string().describe('Names it in a retry.'),
      error: z.string(),
      count: z.int(),
      example: z.object({
        url: z.string(),
        input: z.record(z.string(), z.unknown()).optional(),
        detail: z.string().optional(),
        hint: z.string().optional(),
      }),
    }),
  )
  .describe('All failures grouped by cause, most frequent first; on the first page only.')
  .optional();

export const rowChangesSchema = z
  .object({ new: z.int(), changed: z.int(), removed: z.int(), returned: z.int() })
  .describe('How many rows its writes changed, by kind.');

/** What a run, or a part of it, changed. */
export const rowChangesField = rowChangesSchema
  .nullable()
  .describe('Null when none of its tables keeps its changes, and before the first row.');

export const publicationField = z
  .enum(PUBLICATIONS)
  .describe('What became of removals that were too many to be made unasked; held: they wait for you.');

/** How many pages failed by one cause. */
export const failuresByCause = z.object({ error: z.string(), count: z.int() });

export const heldRemovalSchema = z.object({
  database: z.string(),
  table: z.string(),
  rows: z.int().describe('Rows that its pages give no more.'),
  of: z.int().describe('Rows that earlier runs of the cron or workflow gave.'),
});

export type HeldRemoval = z.output<typeof heldRemovalSchema>;

/** What people look for first beside the state of a run. */
export const runOutcomeFields = {
  has_failures: z.boolean().describe('Whether inputs failed, whatever the state.'),
  held: z.int().describe('Rows that are held back and wait for a decision.'),
  rows: rowChangesField,
  publication: publicationField,
  held_removals: z.array(heldRemovalSchema).describe('Removals that wait: publish or discard them.'),
};

/** What a job or a batch is given beside its inputs. */
export const runFields = {
  target: targetSchema,
  scrape_config: scrapeConfigSchema.optional(),
  sink: sinkSchema.optional(),
  webhook_url: webhookUrlField.optional(),
  dry_run: dryRunField.optional(),
  max_credits: nullIsAbsent(maxCreditsField),
  keep_pages: nullIsAbsent(keepPagesSchema),
};

/** What an input has beside its address. */
export const inputValuesField = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('For prebuilt APIs the parameters; for parsers what `carry` keeps.');

/** Results and failures of a run are read page by page, in the order of the inputs. */
export const inputPageQuery = z.strictObject({
  cursor: z.string().max(500).optional().describe('The `cursor` of the previous page.'),
  limit: queryNumber(z.int().min(1).max(100)).default(100),
});

export const cursorField = z
  .string()
  .optional()
  .describe('Pass it as `cursor` to get the next page; absent on the last one.');

/** The cursor of what a run still adds to. */
export const openCursorField = z
  .string()
  .optional()
  .describe(
    'Pass it as `cursor` to get the next page; absent when the run has ended and everything was read.',
  );

const phaseMs = z.int().optional();

export const taskPhasesSchema = z
  .object({
    pause_ms: phaseMs.describe(
      'Pauses before the last attempt, which the host asked for or which follow a failure.',
    ),
    host_wait_ms: phaseMs.describe('Waiting until the host may be asked.'),
    connect_ms: phaseMs.describe('Waiting for a connection: DNS, TCP and TLS, or an open one.'),
    first_byte_ms: phaseMs.describe(
      'Time until the response began; through a proxy it includes the connection.',
    ),
    download_ms: phaseMs.describe('Reading the response.'),
    render_ms: phaseMs.describe(
      'In a browser: from opening the page to its document, all requests included.',
    ),
    parse_ms: phaseMs.describe('Extracting the data, including the wait for a thread.'),
  })
  .meta({ id: 'TaskPhases' });

/** How long each phase of a task's last attempt took; a phase that did not happen or was not measured is absent. */
export type TaskPhases = z.input<typeof taskPhasesSchema>;

/** A failed input of a run. */
/** How the page of a result or failure was fetched. */
export const fetchedFields = {
  fetched_by: z
    .string()
    .nullable()
    .describe(
      'The last way that was tried: `http`, `browser`, `http:highquality`, …; null: it was not fetched.',
    ),
  price: z.int().describe('Credits charged for this page; 0 of a failure.'),
} as const;

/** How many pages came by a way. */
export const wayCountSchema = z.object({ fetched_by: z.string(), pages: z.int(), credits: z.int() });

export const waysField = z
  .array(wayCountSchema)
  .optional()
  .describe(
    'With `escalate`, of one run and not of a list: how its first 50,000 successes came, and what they cost.',
  );

export const failureSchema = z.object({
  url: z.string(),
  input: inputValuesField,
  error: z.string().describe('Stable text of the error catalogue.'),
  detail: z.string().optional(),
  hint: z.string().optional(),
  attempts: z.int(),
  ...fetchedFields,
  phases: taskPhasesSchema.optional().describe('How long the phases of its last attempt took.'),
});

/** What of a run waits for its next attempt. */
export const waitingSchema = z
  .object({
    tasks: z.int(),
    reason: z.string().describe('Why the first of them waits, such as a host that asked for a pause.'),
    until: timestampField.describe('When the first of them is tried again.'),
  })
  .meta({ id: 'WaitingTasks' })
  .nullable()
  .describe('Failed tasks that wait for their next attempt. Null when none does.');

export const runCreditsSchema = z.object({ reserved: z.int(), used: z.int() });

export const leastMost = z.object({ least: z.int(), expected: z.int(), most: z.int() });

/** The inputs that a target can't take. */
export const refusedFields = {
  refused_count: z.int(),
  refused: z
    .array(z.object({ index: z.int(), input: z.string(), detail: z.string() }))
    .describe('The first 100 invalid inputs; index from 0.'),
};

export type RefusedInputs = z.input<z.ZodObject<typeof refusedFields>>;

export const dryRunSchema = z
  .object({
    dry_run: z.literal(true),
    inputs: z.int().describe('Inputs that would run, after validation and dedupe.'),
    duplicates: z.int().describe('Inputs that dedupe removed.'),
    ...refusedFields,
    credits: leastMost.describe('Possible charges: least when everything fails, expected from past success.'),
    rows: leastMost
      .nullable()
      .describe('Possible number of rows; null in return mode or when pages contain lists of rows.'),
  })
  .meta({ id: 'DryRun' });
