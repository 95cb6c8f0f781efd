import { repeatWhileFull } from '../../platform/process/repeat-while-full.ts';
import { MAX_FAILED_PAGES, type ErrorCode, cutText, AppError } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { createId } from '../../platform/ids.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

/** How long a page is kept. */
export const PAGE_DAYS = 7;

/** A page as it was fetched. */
export interface PageCopy {
  body: Uint8Array;
  contentType: string | undefined;
  url: string;
  finalUrl: string;
  status: number;
  /** ISO 8601, by Postgres' clock. */
  fetchedAt: string;
}

export interface PageToKeep {
  accountId: string;
  runNo: string;
  runId: string;
  seq: number;
  page: PageCopy;
  error: ErrorCode | undefined;
  /** It is kept only because it failed: the limit of such pages of a run applies. */
  isLimited: boolean;
}

export interface PageKeeping {
  db: Database;
  blobs: BlobStore;
}

async function countKept({ db }: PageKeeping, runNo: string): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM gleaner.kept_pages WHERE run_no = ${runNo} AND error IS NOT NULL LIMIT ${MAX_FAILED_PAGES}
    ) kept`;
  return row?.count ?? 0;
}

/** Failed pages that the run has room for, with all others. */
async function withinLimits(deps: PageKeeping, pages: readonly PageToKeep[]): Promise<PageToKeep[]> {
  const room = new Map<string, number>();
  const kept: PageToKeep[] = [];
  for (const page of pages) {
    if (page.isLimited) {
      const left = room.get(page.runNo) ?? MAX_FAILED_PAGES - (await countKept(deps, page.runNo));
      room.set(page.runNo, left - 1);
      if (left <= 0) continue;
    }
    kept.push(page);
  }
  return kept;
}

/**
 * Stores pages of one account. A later page of a task replaces the kept one.
 * @returns how many were stored; the others met a limit of their run or the account's quota
 */
export async function keepPages(deps: PageKeeping, pages: readonly PageToKeep[]): Promise<number> {
  const [first] = pages;
  if (first === undefined) return 0;
  const chosen = await withinLimits(deps, pages);
  if (chosen.length === 0) return 0;
  const hashes = await deps.blobs.put(
    first.accountId,
    chosen.map(({ page }) => ({
      bytes: page.body,
      keptDays: PAGE_DAYS,
      family: URL.parse(page.finalUrl)?.host,
    })),
  );
  const expiresAt = new Date(Date.now() + PAGE_DAYS * 86_400_000).toISOString();
  // One row per task: a statement can't change the same row twice.
  const rows = new Map<string, Record<string, unknown>>();
  for (const [index, { accountId, runNo, runId, seq, page, error }] of chosen.entries()) {
    const hash = hashes[index];
    if (hash === undefined) continue;
    rows.set(`${runNo}/${seq}`, {
      id: createId('page'),
      account_id: accountId,
      run_no: runNo,
      run_id: runId,
      seq,
      url: page.url,
      final_url: page.finalUrl,
      http_status: page.status,
      content_type: page.contentType === undefined ? null : cutText(page.contentType, 300),
      fetched_at: page.fetchedAt,
      hash: Buffer.from(hash, 'hex'),
      size_bytes: page.body.length,
      error: error ?? null,
      expires_at: expiresAt,
    });
  }
  if (rows.size === 0) return 0;
  await deps.db.sql`
    INSERT INTO gleaner.kept_pages ${deps.db.sql([...rows.values()])}
    ON CONFLICT (run_no, seq) DO UPDATE SET final_url = excluded.final_url, http_status = excluded.http_status,
      content_type = excluded.content_type, fetched_at = excluded.fetched_at, hash = excluded.hash,
      size_bytes = excluded.size_bytes, error = excluded.error, expires_at = excluded.expires_at`;
  return rows.size;
}

const REMOVED_AT_ONCE = 5_000;

/**
 * Removes pages that have expired, and the references of re-parses to them. Their contents go with the blob store.
 * @returns how many pages
 */
export function sweepPages(db: Database): Promise<number> {
  return repeatWhileFull(REMOVED_AT_ONCE, () => removeSome(db));
}

async function removeSome(db: Database): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    WITH gone AS (
      DELETE FROM gleaner.kept_pages WHERE id IN (
        SELECT id FROM gleaner.kept_pages WHERE expires_at < now() ORDER BY expires_at LIMIT ${REMOVED_AT_ONCE})
      RETURNING id
    ), referring AS (
      DELETE FROM gleaner.reparsed_pages r USING gone WHERE r.page_id = gone.id
    )
    SELECT count(*)::int AS count FROM gone`;
  return row?.count ?? 0;
}

/**
 * The page that a task of a re-parse reads instead of fetching.
 * @throws AppError not_found: it has expired
 */
export async function loadSavedPage(
  { db, blobs }: PageKeeping,
  task: { accountId: string; runNo: string; seq: number },
): Promise<PageCopy> {
  const [row] = await db.sql<(Omit<PageCopy, 'body'> & { hash: string })[]>`
    SELECT p.url, p.final_url AS "finalUrl", p.http_status AS status, p.content_type AS "contentType",
      p.fetched_at AS "fetchedAt", encode(p.hash, 'hex') AS hash
    FROM gleaner.reparsed_pages r JOIN gleaner.kept_pages p ON p.id = r.page_id
    WHERE r.run_no = ${task.runNo} AND r.seq = ${task.seq} AND p.account_id = ${task.accountId}`;
  const body = row && (await blobs.get(task.accountId, row.hash));
  if (row === undefined || body === undefined)
    throw new AppError('not_found', { detail: 'the kept page has expired' });
  const { hash: _, contentType, fetchedAt, ...page } = row;
  return {
    ...page,
    body,
    contentType: contentType ?? undefined,
    fetchedAt: new Date(fetchedAt).toISOString(),
  };
}
