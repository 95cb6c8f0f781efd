import { z } from 'zod';
import { json, operationsOf } from '../define-operation.ts';
import { idField, timestampField } from '../fields.ts';
import { failuresByCause } from './runs.ts';

const define = operationsOf({ tag: 'Batches', auth: 'key' });

export const getRunPace = define('getRunPace', 'GET /v1/batches/{id}/pace', {
  summary: 'Pages of a batch, a job or a workflow run by minute, and why some failed.',
  description: 'Of pages that parsers read, about a second later, for a week.',
  params: z.strictObject({ id: idField('batch, job or workflow run') }),
  answer: json(
    z.object({
      minutes: z
        .array(
          z.object({
            at: timestampField,
            succeeded: z.int(),
            failures: z.array(failuresByCause),
          }),
        )
        .describe('Oldest first; minutes in which no page ended are left out.'),
    }),
  ),
});
