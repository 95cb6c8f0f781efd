import { AppError, findUnstorable } from '@gleaner/contracts';

/** Opaque to clients: the sort values of the last row of a page. */
export function encodeCursor(values: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * @param length how many values the cursor of this list has
 * @throws AppError invalid_request with field `cursor`
 */
export function decodeCursor(cursor: string, length: number): (string | number | null)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (
      Array.isArray(values) &&
      values.length === length &&
      // Postgres could not even compare it.
      findUnstorable(values) === undefined &&
      values.every((value) => value === null || typeof value === 'string' || typeof value === 'number')
    ) {
      return values as (string | number | null)[];
    }
  } catch {
    // falls through to the one refusal below
  }
  throw new AppError('invalid_request', {
    field: 'cursor',
    detail: 'this is not a cursor that the list gave out',
    hint: 'Pass pagination.cursor of the page before, unchanged.',
  });
}
