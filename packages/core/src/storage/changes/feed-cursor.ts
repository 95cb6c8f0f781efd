import { createHash } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import { decodeCursor, encodeCursor, foreignCursor } from '../../platform/lists/page.ts';

/** A place in a feed: after the change `no` of the commit `position`, which was made at `at` (microseconds). */
export interface FeedPlace {
  feed: string;
  position: string;
  no: string;
  at: string;
}

/** The table of a feed. */
export interface FeedOwner {
  database: string;
  table: string;
}

function digest(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url').slice(0, 12);
}

export function encodePlace({ database, table }: FeedOwner, { feed, position, no, at }: FeedPlace): string {
  const owner = digest(database, table);
  return encodeCursor('changes', [owner, feed, position, no, at, digest(owner, feed, position, no, at)]);
}

const NUMBER = /^\d{1,18}$/;

/** @throws AppError invalid_request (the field): the cursor is damaged, or another table's */
export function decodePlace(
  { database, table }: FeedOwner,
  cursor: string,
  field: 'after' | 'before' = 'after',
): FeedPlace {
  const foreign = (): AppError => new AppError('invalid_request', { ...foreignCursor().options, field });
  let values: string[];
  try {
    values = decodeCursor('changes', cursor, 6).map(String);
  } catch {
    throw foreign();
  }
  const [owner = '', feed = '', position = '', no = '', at = '', sum] = values;
  const isWhole =
    sum === digest(owner, feed, position, no, at) &&
    owner === digest(database, table) &&
    [position, no, at].every((value) => NUMBER.test(value));
  if (!isWhole) throw foreign();
  return { feed, position, no, at };
}

export function feedGone(detail: string): AppError {
  return new AppError('cursor_expired', { field: 'after', detail });
}
