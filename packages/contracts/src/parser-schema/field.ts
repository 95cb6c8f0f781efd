import { z } from 'zod';
import { fieldName } from './field-name.ts';
import { fieldShape, type Field, type Fields } from './field-shape.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';
import { checkField, checkSecondColumns } from './rules.ts';

export const fieldSchema: z.ZodType<Field> = z
  .union([
    z
      .string()
      .trim()
      .min(1)
      .max(LIMITS.selectorLength)
      .describe('A CSS selector: the first match’s text; `sel@attr` takes an attribute.'),
    z
      .strictObject({
        ...fieldShape,
        get fields(): z.ZodOptional<z.ZodType<Fields>> {
          return fieldsSchema.describe('A nested object with selectors relative to the match.').optional();
        },
      })
      .superRefine(checkField),
  ])
  .meta({ id: 'ParserField' });

export const fieldsSchema: z.ZodType<Fields> = z
  .record(fieldName, fieldSchema)
  .refine((fields) => Object.keys(fields).length > 0, 'is empty: name at least one field')
  .refine(
    (fields) => Object.keys(fields).length <= LIMITS.fieldsPerLevel,
    `has more than ${LIMITS.fieldsPerLevel} fields`,
  )
  .superRefine(checkSecondColumns);
