import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type ChangeKind, type DatabaseKind } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import type { FairShare } from '../../platform/rate-limits/fair-share.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { exportFile } from '../exports/export-file.ts';
import { readFeed } from '../databases/feed-tables.ts';
import type { DatabaseServices } from '../databases/database-services.ts';
import { findTable, openOwnDatabase } from '../databases/read-rows.ts';
import type { SqlRunner } from '../databases/sql-text.ts';
import { decodePlace, encodePlace, feedGone, type FeedPlace } from './feed-cursor.ts';
import { edgeOf, readFeedPage, requirePlace } from './read-feed-page.ts';
import { toChange, type Change } from './show-change.ts';

export type ChangeServices = DatabaseServices & { fairShare: FairShare };

/** Pages without a change of the wanted kinds that one answer passes over. */
const MOST_PAGES = 10;
/** The pauses between two looks for changes; an account's own server is asked less often. */
const PAUSE_MS = { managed: 250, postgres: 1_000 } as const satisfies Record<DatabaseKind, number>;

export function withoutHistory(table: string): AppError {
  return new AppError('not_found', {
    field: 'table',
    detail: `table ${table} keeps no changes; PUT /v1/databases/{id}/tables/${table} {"history": true} begins its history`,
  });
}

interface Page {
  changes: { change: Change; cursor: string }[];
  cursor: string;
  isEnd: boolean;
}

interface Asked {
  params: { id: string; table: string };
  limit: number;
  kinds?: readonly ChangeKind[] | undefined;
  /** Newest first: pages are before their cursor, and `now` is after the newest change. */
  isBack?: boolean;
}

/** Opens the feed of a table. @returns reads a page from a cursor; no cursor: at the oldest kept change */
async function openChanges(ctx: Context<ChangeServices>, { params, limit, kinds, isBack = false }: Asked) {
  const { accountId, signal, services } = ctx;
  const owner = { database: params.id, table: params.table };
  const place = await openOwnDatabase(ctx, params.id);

  const findPlace = async (tx: SqlRunner, feed: string, after: string | undefined): Promise<FeedPlace> => {
    if (after === undefined) return edgeOf(tx, place.schema, feed, 'begin');
    if (after === 'now') {
      const end = await edgeOf(tx, place.schema, feed, 'end');
      return isBack ? { ...end, no: String(BigInt(end.no) + 1n) } : end;
    }
    const given = decodePlace(owner, after, isBack ? 'before' : 'after');
    if (given.feed !== feed) throw feedGone('the feed that this cursor belongs to has ended');
    await requirePlace(tx, place.schema, given);
    return given;
  };
  const readOnce = async (tx: SqlRunner, after: string | undefined): Promise<Page> => {
    const table = await findTable(tx, place.schema, params.table);
    const feed = await readFeed(tx, place.schema, table);
    if (!feed) {
      if (after === undefined || after === 'now') throw withoutHistory(table.name);
      decodePlace(owner, after, isBack ? 'before' : 'after');
      throw feedGone('the history of the table was turned off');
    }
    const from = await findPlace(tx, feed.id, after);
    const found = await readFeedPage(tx, place.schema, from, { limit, kinds, isBack });
    const changes = found.changes.map((stored) => ({
      change: toChange(stored, table.columns),
      cursor: encodePlace(owner, stored.place),
    }));
    return { changes, cursor: encodePlace(owner, found.next), isEnd: found.isEnd };
  };
  const read = (after: string | undefined): Promise<Page> =>
    services.fairShare.run(accountId, () => place.read((tx) => readOnce(tx, after)), signal);
  return {
    read,
    /** The same, but waits for a change until `until` when there is none. */
    readWhen: async (after: string | undefined, until: number): Promise<Page> => {
      let page = await read(after);
      for (let pages = 1; page.changes.length === 0; pages += 1) {
        if (!page.isEnd && pages >= MOST_PAGES) return page;
        if (page.isEnd) {
          const leftMs = until - performance.now();
          if (leftMs <= 0) return page;
          await delay(Math.min(PAUSE_MS[place.kind], leftMs), undefined, { signal });
        }
        page = await read(page.cursor);
      }
      return page;
    },
  };
}

type Feed = Awaited<ReturnType<typeof openChanges>>;

/** Lines of the feed until its end, or until nothing has come for a time. */
async function* toLines(
  { readWhen }: Feed,
  first: Page,
  waitMs: number,
): AsyncGenerator<string, void, undefined> {
  let page = first;
  for (;;) {
    if (page.changes.length > 0)
      yield page.changes
        .map((each) => `${JSON.stringify({ ...each.change, cursor: each.cursor })}\n`)
        .join('');
    if (page.isEnd && waitMs === 0) return;
    const isEnd = page.isEnd;
    page = await readWhen(page.cursor, performance.now() + waitMs);
    if (isEnd && page.changes.length === 0 && page.isEnd) return;
  }
}

export const getChanges: Perform<'getChanges', ChangeServices> = async (ctx, { params, query }) => {
  const { after, before, limit, kinds, format, wait } = query;
  const isBack = before !== undefined;
  if (isBack && after !== undefined)
    throw invalid('before', 'after reads forward and before reads back: give one of them');
  if (isBack && wait > 0) throw invalid('wait', 'nothing comes before a change that is there');
  const feed = await openChanges(ctx, { params, limit, kinds, isBack });
  const from = before ?? after;
  const until = performance.now() + wait * 1_000;
  if (format === 'ndjson') {
    // Faults of the cursor are answered before the stream begins.
    const first = await feed.read(from);
    return exportFile(`${params.table}-changes`, { format, gzip: false }, toLines(feed, first, wait * 1_000));
  }
  const { changes, cursor } = await feed.readWhen(from, until);
  return { changes: changes.map(({ change }) => change), cursor };
};
