import type { Change, GetChangesQuery, Methods } from './generated/operations.ts';
import type { CallOptions } from './route.ts';

export interface ChangesQuery extends Omit<GetChangesQuery, 'format' | 'wait'> {
  /** Whether to wait for further changes at the feed's end. Default: false. */
  readonly follow?: boolean;
}

/** The changes of a table, oldest first. */
export interface Changes extends AsyncIterable<Change> {
  /** Where to go on: after the changes of all pages that were read to their end. Undefined before the first one. */
  readonly cursor: string | undefined;
}

/** A table of a database. */
export interface Table {
  /**
   * What changed after a cursor, until the feed's end or, with `follow`, for as long as the signal allows.
   * @throws GleanerError with the status 410 when the changes after the cursor are kept no more
   */
  changes(query?: ChangesQuery, options?: CallOptions): Changes;
}

/** Seconds for which the service waits for a change, the most it takes. */
const WAIT_SECONDS = 30;

/** @param database its id or slug */
export function createTable(databases: Methods['databases'], database: string, table: string): Table {
  return {
    changes: ({ follow = false, after, ...query } = {}, options) => {
      let cursor = after === 'now' ? undefined : after;
      async function* read(): AsyncGenerator<Change, void, undefined> {
        for (let from = cursor ?? after; ; from = cursor) {
          const page = await databases.changes(
            database,
            table,
            {
              ...query,
              ...(from === undefined ? {} : { after: from }),
              ...(follow ? { wait: WAIT_SECONDS } : {}),
            },
            options,
          );
          yield* page.changes;
          cursor = page.cursor;
          // An empty page may have passed over changes of other kinds.
          if (!follow && page.changes.length === 0 && page.cursor === from) return;
        }
      }
      return {
        get cursor() {
          return cursor;
        },
        [Symbol.asyncIterator]: read,
      };
    },
  };
}
