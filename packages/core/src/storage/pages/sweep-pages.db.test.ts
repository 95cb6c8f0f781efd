import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, expect, test } from 'vitest';
import { sweepHealth } from '../../parsers/health/read-health.ts';
import { sweepPages } from './keep-pages.ts';

const { db, close } = await createTestDatabase();
afterAll(close);

test('a page that has expired goes with the references of re-parses to it', async () => {
  const { sql } = db;
  await sql`
    INSERT INTO gleaner.kept_pages (id, account_id, run_no, run_id, seq, url, final_url, http_status, fetched_at, hash,
      size_bytes, expires_at)
    SELECT 'pag_' || n, 'acc_1', 1, 'bat_1', n, 'https://x.example/', 'https://x.example/', 200, now(), '', 1,
      now() + (n - 2.5) * interval '1 day'
    FROM generate_series(1, 4) n`;
  await sql`INSERT INTO gleaner.reparsed_pages (run_no, seq, page_id) SELECT 2, n, 'pag_' || n FROM generate_series(1, 4) n`;
  expect(await sweepPages(db)).toBe(2);
  const left = await sql`SELECT page_id FROM gleaner.reparsed_pages ORDER BY page_id`;
  expect(left.map((row) => row['page_id'])).toEqual(['pag_3', 'pag_4']);
});

test('the health of a host that is no longer read goes after 90 days', async () => {
  const { sql } = db;
  await sql`
    INSERT INTO gleaner.parser_health (account_id, parser_id, version, host, state, pages, stats, updated_at)
    VALUES ('acc_1', 'prs_1', 1, 'old.example', 'healthy', 1, '{}', now() - interval '91 days'),
      ('acc_1', 'prs_1', 1, 'new.example', 'healthy', 1, '{}', now() - interval '89 days')`;
  expect(await sweepHealth(db)).toBe(1);
  expect(await sql`SELECT host FROM gleaner.parser_health`).toMatchObject([{ host: 'new.example' }]);
});
