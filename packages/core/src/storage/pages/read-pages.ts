import { AppError, ERRORS, type ErrorCode, type KeptPageRecord } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { decodeHtmlInParts } from '@gleaner/extractors';
import { and, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Context, Services, Perform } from '../../platform/context.ts';
import { listPage } from '../../platform/lists/page.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

const { keptPages } = tables;

export interface PageServices extends Services {
  blobs: BlobStore;
}

type PageRow = typeof keptPages.$inferSelect;

function toRecord(row: PageRow): KeptPageRecord {
  return {
    id: row.id,
    run_id: row.runId,
    seq: row.seq,
    url: row.url,
    final_url: row.finalUrl,
    status: row.httpStatus,
    content_type: row.contentType,
    fetched_at: row.fetchedAt,
    size_bytes: row.sizeBytes,
    error: row.error && Object.hasOwn(ERRORS, row.error) ? ERRORS[row.error as ErrorCode].text : row.error,
    expires_at: row.expiresAt,
  };
}

/** The runs that keep pages of a run: itself and its parts. */
export async function readRunsOf(
  { accountId, services: { db } }: Context<Services>,
  id: string,
): Promise<string[]> {
  const parts = await db.sql<{ id: string }[]>`
    SELECT p.id FROM gleaner.runs w JOIN gleaner.stages s ON s.root_no = w.no JOIN gleaner.runs p ON p.no = s.run_no
    WHERE w.id = ${id} AND w.account_id = ${accountId}`;
  return [id, ...parts.map((part) => part.id)];
}

export const listPages: Perform<'listPages', PageServices> = async (ctx, { query }) => {
  const { items, pagination } = await listPage(
    query,
    keptPages.id,
    [
      eq(keptPages.accountId, ctx.accountId),
      gt(keptPages.expiresAt, sql`now()`),
      query.run === undefined ? undefined : inArray(keptPages.runId, await readRunsOf(ctx, query.run)),
      query.url === undefined
        ? undefined
        : sql`hashtextextended(${keptPages.url}, 0) = hashtextextended(${query.url}, 0) AND ${keptPages.url} = ${query.url}`,
    ],
    ctx.services.db.orm.select().from(keptPages),
  );
  return { pages: items.map(toRecord), pagination };
};

/** A kept page of the account with its text. @throws AppError not_found: also when it has expired */
export async function readKeptPage(
  { db, blobs }: Pick<PageServices, 'db' | 'blobs'>,
  accountId: string,
  id: string,
): Promise<KeptPageRecord & { html: string }> {
  const [row] = await db.orm
    .select()
    .from(keptPages)
    .where(
      and(eq(keptPages.id, id), eq(keptPages.accountId, accountId), gt(keptPages.expiresAt, sql`now()`)),
    );
  const bytes = row === undefined ? undefined : await blobs.get(accountId, row.hash.toString('hex'));
  if (row === undefined || bytes === undefined) throw new AppError('not_found');
  const { text } = await decodeHtmlInParts(bytes, row.contentType ?? undefined, row.finalUrl);
  return { ...toRecord(row), html: text };
}

export const getPage: Perform<'getPage', PageServices> = (ctx, { params }) => {
  return readKeptPage(ctx.services, ctx.accountId, params.id);
};
