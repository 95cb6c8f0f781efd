import { z } from 'zod';
import { listAnswer, listQuery, refField, timeField, timestampField } from '../fields.ts';
import { operationsOf, json } from '../define-operation.ts';
import { LEDGER_KINDS, USAGE_GROUPS } from '../values/index.ts';
import { timezoneField } from './crons.ts';

const define = operationsOf({ tag: 'Credits', auth: 'key' });

export const getCredits = define('getCredits', 'GET /v1/credits', {
  summary: 'Balance, concurrency limit and stored bytes of the account.',
  answer: json(
    z.object({
      creditBalance: z.int().describe('Remaining credits, including those reserved for unfinished work.'),
      concurrency: z.int().describe('How many requests and tasks may execute at the same time.'),
      storedBytes: z.int().describe('What the account stores, in bytes: exact within a minute.'),
      storedBytesLimit: z.int().describe('How much it may store.'),
    }),
  ),
  tool: 'get_credits',
});

export const ledgerEntrySchema = z.object({
  id: z.string(),
  kind: z
    .enum(LEDGER_KINDS)
    .describe(
      'grant adds to the balance; reserve sets credits aside; settle charges reserved credits; release returns them.',
    ),
  credits: z.int().describe('Never negative, except a grant that takes credits away.'),
  reference: z.string().describe('The request, job, batch or grant that the entry belongs to.'),
  created_at: timestampField,
});

export const listLedger = define('listLedger', 'GET /v1/credits/ledger', {
  summary: 'Entries of the credit ledger, newest first.',
  query: listQuery,
  answer: json(listAnswer('entries', ledgerEntrySchema)),
});

export const usageSchema = z
  .object({
    from: timestampField.describe(
      'When the hour or the day began; of other groups, the hour of their first use.',
    ),
    key_id: z.string().optional().describe('Absent for what no key is known of.'),
    parser_id: z.string().optional().describe('Absent for prebuilt APIs, crawls and unsaved schemas.'),
    cron_id: z.string().optional().describe('Absent for what no cron started.'),
    host: z
      .string()
      .optional()
      .describe(
        'Of the address that was given. `other`: beyond the first 200 hosts of a day. Absent for parameters without an address.',
      ),
    pages: z.object({
      succeeded: z.int(),
      failed: z.int(),
      unchanged: z.int().describe('0: no page is left out yet.'),
    }),
    credits: z.int(),
    rows: z
      .object({ new: z.int(), changed: z.int(), removed: z.int() })
      .describe(
        'Rows of tables that keep their changes; `new` has those that returned. They are on lines without a host.',
      ),
  })
  .meta({ id: 'Usage' });

export const getUsage = define('getUsage', 'GET /v1/usage', {
  summary: 'What was used: pages, rows and credits by hour, day, key, parser, cron or host.',
  description:
    'Newest first. Each grouping divides the same sum: what has no key, parser, cron or host is a line without it. Counted when a page ends and is charged. After 90 days hours are kept as days (UTC).',
  query: listQuery.extend({
    group_by: z.enum(USAGE_GROUPS).default('day'),
    from: timeField.optional().describe('From this time on, in whole hours. Default: the beginning.'),
    to: timeField.optional().describe('Before this time, in whole hours. Default: now.'),
    parser: refField('parser').optional().describe('Only what this parser read.'),
    cron: refField('cron').optional().describe('Only what this cron started.'),
    timezone: timezoneField
      .default('UTC')
      .describe('IANA name. Days begin at its midnight; an hour counts for the day in which it begins.'),
  }),
  answer: json(listAnswer('usage', usageSchema)),
  fairShare: 'call',
});
