import { z } from 'zod';
import { idField } from './fields.ts';

const parserTarget = z.strictObject({
  type: z.literal('parser'),
  parserId: idField('parser'),
  version: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe('Run this version of the parser. Default: the one that is current when the work is created.'),
});

const apiTarget = z.strictObject({
  type: z.literal('api'),
  id: z.string().min(1).max(80).describe('A prebuilt API of GET /v1/apis: `videosite-video`.'),
});

const workflowTarget = z.strictObject({ type: z.literal('workflow'), workflowId: idField('workflow') });

/** What a job or batch runs. A parser's inputs are URLs; an API's are objects of its parameters. */
export const targetSchema = z
  .discriminatedUnion('type', [parserTarget, apiTarget])
  .describe('What to run: one of your parsers, or a prebuilt API.');

export type Target = z.output<typeof targetSchema>;

/** What a cron runs. */
export const cronTargetSchema = z
  .discriminatedUnion('type', [parserTarget, apiTarget, workflowTarget])
  .describe('What to run: one of your parsers, a prebuilt API, or one of your workflows.');

export type CronTarget = z.output<typeof cronTargetSchema>;
