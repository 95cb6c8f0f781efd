import { z } from 'zod';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';

const scalar = z.union([z.string().max(LIMITS.textLength), z.number(), z.boolean()]);

export const assertSchema = z
  .strictObject({
    min: z.number().optional().describe('Least number.'),
    max: z.number().optional().describe('Greatest number.'),
    min_items: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Fewest items: of a list its values, of `count` and `exists` the matches; a single value counts as one, an absent one as none.',
      ),
    max_items: z.int().min(0).optional().describe('Most items.'),
    pattern: z
      .string()
      .min(1)
      .max(LIMITS.patternLength)
      .optional()
      .describe('Regular expression (RE2) that must be found in the text.'),
    enum: z.array(scalar).min(1).max(LIMITS.enumValues).optional().describe('The values that are allowed.'),
    on_fail: z
      .enum(['fail', 'null', 'drop_row'])
      .optional()
      .describe(
        'What a broken assertion, or a value that can’t take its type, does: fail the extraction (default), make the value null, or leave out the row of the nearest list.',
      ),
  })
  .describe('What must hold of the value.');

export type Assert = z.output<typeof assertSchema>;
