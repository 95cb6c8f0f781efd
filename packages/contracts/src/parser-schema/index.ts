import { z } from 'zod';
import { fieldsSchema } from './field.ts';
import { sizeFault } from './size.ts';

/**
 * The extraction schema language (docs/use/parsers.md): a closed vocabulary without expressions or code. This schema checks
 * the structure; `checkSchema` of the extractors also compiles every selector, path and pattern.
 */
export const parserSchema = z
  .strictObject({
    fields: fieldsSchema.describe('The fields to read from the page, by name.'),
    allow_empty: z
      .boolean()
      .optional()
      .describe(
        'Whether a page on which nothing matches is a success. Default: it fails and is not charged.',
      ),
  })
  .superRefine(({ fields }, context) => {
    const reason = sizeFault(fields);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['fields'], message: reason });
  })
  .meta({ id: 'ParserSchema', description: 'An extraction schema: named fields with their sources.' });

export type ParserSchema = z.output<typeof parserSchema>;

export * from './assert.ts';
export * from './faults.ts';
export * from './field.ts';
export * from './field-shape.ts';
export * from './limits.ts';
export * from './source.ts';
export * from './sources-of.ts';
export * from './transform.ts';
export * from './url-pattern.ts';
