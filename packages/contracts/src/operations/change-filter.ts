import { z } from 'zod';
import { identifierField } from '../fields.ts';
import { CHANGE_KINDS, CHANGE_TESTS } from '../values/index.ts';

/** A condition on the values of a changed row. */
export const changeTestSchema = z
  .strictObject({
    column: identifierField,
    op: z.enum(CHANGE_TESTS),
    by: z
      .union([
        z.number().positive(),
        z.string().regex(/^\d{1,6}(\.\d{1,6})?%$/, 'must be a number or like "5%"'),
      ])
      .optional()
      .describe('At least so much: an amount, or a share of the earlier value such as "5%".'),
    value: z
      .number()
      .optional()
      .describe('crosses: the bound, at or above which a value is on its other side.'),
  })
  .check(({ value: { op, by, value }, issues, ...rest }) => {
    const refuse = (path: string, message: string): void => {
      issues.push({ code: 'custom', input: rest, path: [path], message });
    };
    if (op === 'crosses' && value === undefined) refuse('value', 'crosses needs a value');
    if (op !== 'crosses' && value !== undefined) refuse('value', 'only crosses has a value');
    if (op === 'crosses' && by !== undefined) refuse('by', 'crosses has a value, not by');
  });

/** The members of a filter of the event rows.changed. */
export const changeFilterFields = {
  table: z.string().min(1).max(63).optional().describe('rows.changed: only changes of tables of this name.'),
  kinds: z
    .array(z.enum(CHANGE_KINDS))
    .min(1)
    .max(CHANGE_KINDS.length)
    .optional()
    .describe('rows.changed: only these kinds; default: all, with `where` only changed.'),
  where: z
    .array(changeTestSchema)
    .min(1)
    .max(10)
    .optional()
    .describe('rows.changed: what the values of a changed row must have done; all must hold.'),
};

export const changeFilterSchema = z.strictObject(changeFilterFields);
export type ChangeFilter = z.output<typeof changeFilterSchema>;
