import { z } from 'zod';
import { identifierField, nullIsAbsent } from '../fields.ts';

/** The most values of an input that a run keeps. */
export const MAX_CARRIED = 50;
/** The most bytes of the values of one input, as JSON. */
export const MAX_CARRIED_BYTES = 4_096;

const nameField = z.string().min(1).max(200);
const fewNames = `has more than ${MAX_CARRIED} names`;

export const carrySchema = z
  .union(
    [
      z.literal(true),
      z.array(nameField).min(1).max(MAX_CARRIED, fewNames),
      z
        .record(identifierField, nameField)
        .refine((carry) => Object.keys(carry).length > 0, 'names nothing')
        .refine((carry) => Object.keys(carry).length <= MAX_CARRIED, fewNames),
    ],
    'must be true, a list of names, or an object of names by column',
  )
  .describe(
    'For parsers: values beside `url` in the inputs that results (`input`) and rows (a column each) keep. true: all; or their names; or `{column: name}`.',
  );

export const carryField = nullIsAbsent(carrySchema);

/** What of its inputs a run keeps: everything, names, or names by the columns that hold them. */
export type Carry = z.output<typeof carrySchema>;

/** `carry` in the record of a run. */
export const shownCarryField = z
  .record(z.string(), z.string())
  .nullable()
  .describe('Names of the values of the inputs that it keeps, by column; null: none.');
