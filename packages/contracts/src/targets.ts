import { z } from 'zod';
import { idField } from './fields.ts';

/** What a job or batch runs. A parser's inputs are URLs; an API's are objects of its parameters. */
export const targetSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('parser'), parserId: idField('parser') }),
    z.strictObject({
      type: z.literal('api'),
      id: z.string().min(1).max(80).describe('A prebuilt API of GET /v1/apis: `videosite-video`.'),
    }),
  ])
  .describe('What to run: one of your parsers, or a prebuilt API.');

export type Target = z.output<typeof targetSchema>;
