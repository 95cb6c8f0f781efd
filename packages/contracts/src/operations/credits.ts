import { z } from 'zod';
import { listAnswer, listQuery, timestampField } from '../fields.ts';
import { operationsOf, json } from '../define-operation.ts';
import { LEDGER_KINDS } from '../values/index.ts';

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
