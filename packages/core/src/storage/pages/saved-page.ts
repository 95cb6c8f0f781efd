import { AppError } from '@gleaner/contracts';
import type { PageKeeping, PageCopy } from './keep-pages.ts';

interface SavedRow {
  url: string;
  final_url: string;
  http_status: number;
  content_type: string | null;
  fetched_at: string;
  hash: string;
  /** Age by the database's clock. */
  age_ms: number;
}

export interface SavedPage extends PageCopy {
  /** How long ago it was fetched, by the database's clock. */
  ageMs: number;
}

/**
 * The page that a task of a re-parse reads instead of fetching.
 * @throws AppError not_found: it has expired
 */
export async function loadSavedPage(
  { db, blobs }: PageKeeping,
  task: { accountId: string; runNo: string; seq: number },
): Promise<SavedPage> {
  const [row] = await db.sql<SavedRow[]>`
    SELECT p.url, p.final_url, p.http_status, p.content_type, p.fetched_at, encode(p.hash, 'hex') AS hash,
      greatest(extract(epoch FROM clock_timestamp() - p.fetched_at) * 1000, 0)::float8 AS age_ms
    FROM gleaner.reparsed_pages r JOIN gleaner.kept_pages p ON p.id = r.page_id
    WHERE r.run_no = ${task.runNo} AND r.seq = ${task.seq} AND p.account_id = ${task.accountId}`;
  const body = row === undefined ? undefined : await blobs.get(task.accountId, row.hash);
  if (row === undefined || body === undefined)
    throw new AppError('not_found', { detail: 'the kept page has expired' });
  return {
    body,
    contentType: row.content_type ?? undefined,
    url: row.url,
    finalUrl: row.final_url,
    status: row.http_status,
    fetchedAt: new Date(row.fetched_at).toISOString(),
    ageMs: row.age_ms,
  };
}
