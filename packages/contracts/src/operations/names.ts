import { z } from 'zod';
import { timestampField } from '../fields.ts';
import { operationsOf, json } from '../define-operation.ts';

const define = operationsOf({ tag: 'Catalogue', auth: 'key' });

const MOST = 100;

export const getNames = define('getNames', 'GET /v1/names', {
  summary: 'Names by identifiers.',
  description:
    'Of parsers (also deleted ones), crons, workflows, databases, keys and runs. What is not of the account is left out.',
  query: z.strictObject({
    ids: z
      .string()
      .min(1)
      .max(MOST * 81)
      .refine((text) => text.split(',').length <= MOST, `must be at most ${MOST} identifiers`)
      .describe('Up to 100 identifiers, separated by commas.'),
  }),
  answer: json(
    z.object({
      names: z.array(
        z.object({
          id: z.string(),
          name: z.string().nullable().describe('Of a job its page. Null for a batch without a name.'),
          created_at: timestampField,
        }),
      ),
    }),
  ),
});
