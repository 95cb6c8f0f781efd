import { z } from 'zod';
import { idField, listAnswer, listQuery, timestampField } from '../fields.ts';
import { operationsOf, json, created } from '../define-operation.ts';
import { PAUSABLE_QUEUES, QUEUES, RUN_STATES } from '../values/index.ts';

const define = operationsOf({ tag: 'Operator', auth: 'operator' });

const BODY_LIMIT_BYTES = 16_384;
const seconds = z.number().nullable();

export const getSystemHealth = define('getSystemHealth', 'GET /admin/api/health', {
  summary: 'Whether the installation is well: queues, workers, runs, webhooks and the database.',
  answer: json(
    z.object({
      readiness: z.object({
        ready: z.boolean(),
        checks: z.record(z.string(), z.string()).describe('`ok`, or the fault.'),
      }),
      queues: z.array(
        z.object({
          name: z.enum(QUEUES),
          paused: z.boolean(),
          counts: z.record(z.string(), z.int()),
        }),
      ),
      workers: z.array(
        z.object({
          id: z.string(),
          host: z.string(),
          pid: z.int(),
          engines: z.array(z.string()),
          refuses: z.string().nullable().describe('Why it takes no work now; null when it does.'),
          capacity: z.object({ http: z.int().nullable(), browser: z.int().nullable() }),
          started_at: timestampField,
          memory_bytes: z.number().nullable(),
        }),
      ),
      runs: z.object({ pending: z.int(), running: z.int(), oldest_pending_seconds: seconds }),
      waiting: z
        .array(z.object({ reason: z.string(), tasks: z.int(), until: timestampField }))
        .describe('Why tasks of all accounts wait for their next attempt, the most frequent 20 reasons.'),
      webhooks: z.object({
        pending: z.int(),
        failing: z
          .int()
          .describe('Those of the pending ones that failed before, or wait for an endpoint that fails.'),
        failed: z.int().describe('Those that were given up.'),
        oldest_due_seconds: seconds,
      }),
      database: z.object({
        bytes: z.int(),
        disk_free: z.number().nullable().describe('The free part of its disk; null when it is not known.'),
        account_limit_bytes: z.int().describe('How much one account may store.'),
        connections: z.int(),
        oldest_transaction_seconds: seconds,
        tables: z.array(
          z.object({
            name: z.string(),
            bytes: z.int(),
            rows: z.int().nullable().describe('About; null where Postgres has not counted yet.'),
          }),
        ),
      }),
      fetches: z
        .array(z.object({ engine: z.string(), tier: z.string(), outcome: z.string(), count: z.int() }))
        .describe('Attempts to fetch, since each live worker started.'),
    }),
  ),
});

export const getSystemUsage = define('getSystemUsage', 'GET /admin/api/usage', {
  summary:
    'The last 24 hours: pages of all accounts by hour, the accounts that read most, and how the workers did.',
  answer: json(
    z.object({
      hours: z
        .array(z.object({ from: timestampField, succeeded: z.int(), failed: z.int() }))
        .describe('Oldest first; hours without pages are left out.'),
      accounts: z
        .array(
          z.object({
            id: z.string(),
            name: z.string(),
            succeeded: z.int(),
            failed: z.int(),
            credits: z.int(),
          }),
        )
        .describe('The twenty with most pages.'),
      samples: z
        .array(
          z.object({
            at: timestampField,
            queue_age_seconds: seconds.describe(
              'Of the oldest work that no worker had taken; null: none waited.',
            ),
            memory_bytes: z.number().nullable().describe('Of all workers and schedulers.'),
            waiting: z.int().describe('Pages that waited for their next attempt.'),
          }),
        )
        .describe('Every five minutes of the last 24 hours, oldest first.'),
    }),
  ),
});

export const setQueuePause = define('setQueuePause', 'PUT /admin/api/queues/{queue}', {
  summary: 'Pause a queue of work, or let it go on, within about two seconds.',
  description:
    'Nothing of a paused queue starts until it goes on, also after restarts. Its interactive calls are refused with 503.',
  params: z.strictObject({ queue: z.enum(PAUSABLE_QUEUES) }),
  body: z.strictObject({ paused: z.boolean() }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: { kind: 'empty', status: 204 },
});

export const accountRecordSchema = z
  .object({
    id: idField('account'),
    name: z.string(),
    active: z.boolean(),
    credit_balance: z.int(),
    credits_reserved: z.int(),
    credits_used: z.int(),
    stored_bytes: z.int().describe('What it stores, in bytes: exact within a minute.'),
    concurrency: z.int(),
    requests_per_minute: z.int(),
    pending_limit: z.int(),
    cron_limit: z.int(),
    cron_min_interval_seconds: z.int(),
    created_at: timestampField,
  })
  .meta({ id: 'Account' });

const credits = z.int().min(-1_000_000_000_000).max(1_000_000_000_000);

export const listAccounts = define('listAccounts', 'GET /admin/api/accounts', {
  summary: 'All accounts, newest first.',
  query: listQuery.extend({
    text: z.string().max(200).optional().describe('Part of the name, or an identifier.'),
  }),
  answer: json(listAnswer('accounts', accountRecordSchema)),
});

export const createAccount = define('createAccount', 'POST /admin/api/accounts', {
  summary: 'Create an account with its first key.',
  body: z.strictObject({ name: z.string().max(200), credits: credits.min(0) }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: created(
    z.object({
      account: accountRecordSchema,
      api_key: z.string().describe('Only this response contains the key.'),
    }),
  ),
  errors: ['name_taken'],
});

export const erasureSchema = z
  .object({
    account_id: z.string(),
    name: z.string(),
    begun_at: timestampField,
    ended_at: timestampField.nullable().describe('Null while a scheduler erases it.'),
    removed: z.record(z.string(), z.int()).describe('How many rows of which table.'),
  })
  .meta({ id: 'Erasure' });

export const eraseAccount = define('eraseAccount', 'POST /admin/api/accounts/{id}/erase', {
  summary: 'Erase an account for good, or read how far that is.',
  description:
    'Its keys stop working at once and its live runs are cancelled. A scheduler then removes its records, pages and managed tables in small parts. External tables stay as they are.',
  params: z.strictObject({ id: idField('account') }),
  body: z.strictObject({ name: z.string().max(200).describe('The exact name of the account.') }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: json(z.object({ erasure: erasureSchema })),
});

export const listAccountRuns = define('listAccountRuns', 'GET /admin/api/accounts/{id}/runs', {
  summary: 'What of an account has not ended, and what holds its slots; the newest 200 runs.',
  params: z.strictObject({ id: idField('account') }),
  answer: json(
    z.object({
      concurrency: z.int().describe('Its slots.'),
      interactive_slots: z.int().describe('Slots of its interactive requests, which end by themselves.'),
      runs: z.array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          state: z.enum(RUN_STATES),
          slots: z.int().describe('Slots that its pages hold now.'),
          total: z.int(),
          ended: z.int().describe('Of its pages.'),
          created_at: timestampField,
        }),
      ),
    }),
  ),
});

export const cancelAccountRun = define(
  'cancelAccountRun',
  'POST /admin/api/accounts/{id}/runs/{run_id}/cancel',
  {
    summary: 'Cancel a run of an account.',
    params: z.strictObject({ id: idField('account'), run_id: z.string().min(1).max(100) }),
    answer: { kind: 'empty', status: 204 },
    errors: ['already_finished'],
  },
);

export const updateAccount = define('updateAccount', 'PUT /admin/api/accounts/{id}', {
  summary: 'Change an account: its name, state, credits and limits.',
  params: z.strictObject({ id: idField('account') }),
  body: z.strictObject({
    name: z.string().max(200).optional(),
    active: z.boolean().optional(),
    grant: credits.optional().describe('Credits to add; a negative number removes credits.'),
    concurrency: z.int().min(1).max(100_000).optional(),
    requestsPerMinute: z.int().min(1).max(10_000_000).optional(),
    pendingLimit: z.int().min(0).max(1_000_000_000).optional(),
    cronLimit: z.int().min(0).max(1_000_000).optional(),
    cronMinIntervalSeconds: z.int().min(60).max(31_536_000).optional(),
  }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: json(z.object({ account: accountRecordSchema })),
  errors: ['name_taken', 'insufficient_credits'],
});
