import { z } from 'zod';
import { fieldsSchema } from './parser-schema/field.ts';
import { sizeFault } from './parser-schema/size.ts';

/**
 * The extraction schema language (docs/use/parsers.md): a closed vocabulary without expressions or code. This schema checks
 * the structure; the engine's `checkSchema` also compiles every selector, path and pattern.
 */
export const parserSchema = z
  .strictObject({
    fields: fieldsSchema.describe('The fields to read from the page, by name.'),
  })
  .superRefine(({ fields }, context) => {
    const reason = sizeFault(fields);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['fields'], message: reason });
  })
  .meta({ id: 'ParserSchema', description: 'An extraction schema: named fields with their sources.' });

export type ParserSchema = z.output<typeof parserSchema>;

export * from './parser-schema/assert.ts';
export * from './parser-schema/faults.ts';
export * from './parser-schema/field.ts';
export * from './parser-schema/field-shape.ts';
export * from './parser-schema/limits.ts';
export * from './parser-schema/source.ts';
export * from './parser-schema/sources-of.ts';
export * from './parser-schema/transform.ts';
export * from './parser-schema/url-pattern.ts';
