import { z } from 'zod';
import { identifierField } from '../fields.ts';
import { databaseSink, returnSink } from './sinks.ts';

const MAX_PATH_LENGTH = 500;

export const jsonPathField = z.string().min(1).max(MAX_PATH_LENGTH);

export const stageSinkField = z
  .discriminatedUnion('mode', [
    returnSink,
    databaseSink.extend({
      carry: z
        .record(identifierField, jsonPathField)
        .refine((carry) => Object.keys(carry).length <= 50, 'has more than 50 columns')
        .optional()
        .describe(
          'Further columns, from the results that this one came from: `{"category": "$.stages.list.category"}`. Of several values it takes the one nearest to the link that was followed.',
        ),
    }),
  ])
  .describe('Where the rows of this stage go.');

export type StageSink = z.output<typeof stageSinkField>;
