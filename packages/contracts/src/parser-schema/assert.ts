import { z } from 'zod';
import { FAILURE_EFFECTS } from '../values/index.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';

const scalar = z.union([z.string().max(LIMITS.textLength), z.number(), z.boolean()]);

export const assertSchema = z
  .strictObject({
    min: z.number().optional().describe('Minimum.'),
    max: z.number().optional().describe('Maximum.'),
    min_items: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Minimum number of items: the values of a list, or the matches for `count` and `exists`. A single value counts as one, an absent value as none.',
      ),
    max_items: z.int().min(0).optional().describe('Maximum number of items.'),
    pattern: z
      .string()
      .min(1)
      .max(LIMITS.patternLength)
      .optional()
      .describe('Regular expression (RE2) that must match somewhere in the text.'),
    enum: z.array(scalar).min(1).max(LIMITS.enumValues).optional().describe('The allowed values.'),
    on_fail: z
      .enum(FAILURE_EFFECTS)
      .optional()
      .describe(
        'The effect of a failed assertion or type conversion: fail the extraction (default), make the value null, or drop the row of the nearest list.',
      ),
  })
  .describe('Conditions that the value must meet.');

export type Assert = z.output<typeof assertSchema>;
