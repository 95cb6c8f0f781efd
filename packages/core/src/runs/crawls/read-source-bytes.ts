import type { Database } from '@gleaner/db';

/** Bytes of the robots.txt files, sitemaps and feeds that a crawl has read. @param runNo of its sources */
export async function readSourceBytes(db: Database, runNo: string): Promise<number> {
  const [row] = await db.sql<{ bytes: number }[]>`
    SELECT coalesce(sum((answer::json ->> 'bytes')::float8), 0) AS bytes FROM gleaner.results
    WHERE run_no = ${runNo} AND ok`;
  return row?.bytes ?? 0;
}
