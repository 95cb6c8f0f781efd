import { invalid } from '../invalid-request.ts';
import { AppError, findUnstorable } from '@gleaner/contracts';

/** Encodes the sort values of the last row of a page. Opaque to clients. */
export function encodeCursor(values: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * @param length the number of values in a cursor of this list
 * @throws AppError invalid_request with field `cursor`
 */
export function decodeCursor(cursor: string, length: number): (string | number | null)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (
      Array.isArray(values) &&
      values.length === length &&
      // Postgres could not compare such a value.
      findUnstorable(values) === undefined &&
      values.every((value) => value === null || typeof value === 'string' || typeof value === 'number')
    ) {
      return values as (string | number | null)[];
    }
  } catch {
    // falls through to the error below
  }
  throw foreignCursor();
}

export function foreignCursor(): AppError {
  return invalid(
    'cursor',
    'this is not a cursor of this list',
    'Send the cursor of the previous page (`pagination.cursor` in lists of records, else `cursor`), unchanged.',
  );
}

/** The greatest `integer` of Postgres. */
export const MAX_INTEGER = 2_147_483_647;

/**
 * Decodes a cursor of places, which are compared with columns of type `integer`; -1 is before the first one.
 * @throws AppError invalid_request with field `cursor`
 */
export function decodePlaces(cursor: string, length: number): number[] {
  return decodeCursor(cursor, length).map((value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= -1 && value <= MAX_INTEGER)
      return value;
    throw foreignCursor();
  });
}
