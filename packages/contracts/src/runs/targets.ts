import { z } from 'zod';
import { refField, versionField } from '../fields.ts';

export const parserTarget = z.strictObject({
  type: z.literal('parser'),
  parserId: refField('parser').describe(
    'Id or slug of the parser; `page`, which is built in, gives any page as Markdown.',
  ),
  version: versionField
    .nullish()
    .describe(
      'Version of the parser to run; null or absent: the current one when the work is created. Null for `page`.',
    ),
});

const apiTarget = z.strictObject({
  type: z.literal('api'),
  id: z.string().min(1).max(80).describe('Name of a prebuilt API: `videosite-video`.'),
});

const workflowTarget = z.strictObject({ type: z.literal('workflow'), workflowId: refField('workflow') });

/** The target of a job or batch. Inputs of a parser are URLs; inputs of an API are objects of its parameters. */
export const targetSchema = z
  .discriminatedUnion('type', [parserTarget, apiTarget])
  .describe('What to run: one of your parsers, or a prebuilt API.');

export type Target = z.output<typeof targetSchema>;

/** The target of a cron. */
export const cronTargetSchema = z
  .discriminatedUnion('type', [parserTarget, apiTarget, workflowTarget])
  .describe('What to run: one of your parsers, a prebuilt API, or one of your workflows.');

export type CronTarget = z.output<typeof cronTargetSchema>;
