import { createTestDatabase } from '@gleaner/db/testing';
import fc from 'fast-check';
import { afterAll, expect, inject, it } from 'vitest';
import { createAccount } from '../../accounts/change-accounts.ts';
import { createExternalDatabases } from '../external/external-databases.ts';
import { createId } from '../../platform/ids.ts';
import { openSinkWriter } from './sink-writer.ts';
import type { SinkColumn } from '../columns/columns.ts';
import { writeSettledRows } from './write-rows.ts';

const test = await createTestDatabase();
const { sql } = test.db;
afterAll(() => test.close());
const { account } = await createAccount(test.db, { name: 'order', credits: 0 });
const database = createId('database');
await sql`INSERT INTO gleaner.databases (id, account_id, name, kind) VALUES (${database}, ${account.id}, 'd', 'managed')`;
await sql.unsafe(`CREATE SCHEMA "${database}"`);
const external = createExternalDatabases({
  secretKey: undefined,
  resolveEgress: () => Promise.reject(new Error('none')),
});
const columns: SinkColumn[] = [
  { name: 'text', type: 'text', nullable: true, key: false },
  { name: 'json', type: 'jsonb', nullable: true, key: false },
];

/** Pages with different fetch times, in a random order and random batches. */
const scenario = fc.record({
  pages: fc.uniqueArray(
    fc.record({
      url: fc.constantFrom('a', 'b', 'c'),
      ms: fc.nat(50),
      text: fc.string({ unit: 'binary', maxLength: 12 }),
      json: fc.jsonValue({ maxDepth: 2 }),
    }),
    { selector: (page) => page.ms, minLength: 1, maxLength: 12 },
  ),
  order: fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 }),
  batch: fc.integer({ min: 1, max: 5 }),
});

const BEGINNING = Date.parse('2026-01-01T00:00:00Z');

it('keeps the latest page of each key, for any order, batches and repetitions', async () => {
  const writer = await openSinkWriter(
    { db: test.db, external },
    {
      accountId: account.id,
      runId: 'job_1',
      sink: { mode: 'database', database, table: 't', contract: 'evolve', nulls: 'overwrite' },
      columns,
    },
  );
  await writer.prepare();
  await fc.assert(
    fc.asyncProperty(scenario, async ({ pages, order, batch }) => {
      await sql.unsafe(`TRUNCATE "${database}".t`);
      const shuffled = pages
        .map((page, index) => ({ page, at: order[index] ?? 0 }))
        .sort((a, b) => a.at - b.at)
        .map(({ page }) => page);
      const twice = [...shuffled, ...shuffled.toReversed()];
      for (let start = 0; start < twice.length; start += batch) {
        const rows = twice.slice(start, start + batch).flatMap(({ url, ms, text, json }) => {
          const fetchedAt = new Date(BEGINNING + ms).toISOString();
          const made = writer.toRows({ url, fetchedAt, data: { text, json } });
          return 'rows' in made ? made.rows : [];
        });
        await writeSettledRows(sql, writer.settledRows(rows));
      }
      const latest = new Map(pages.toSorted((a, b) => a.ms - b.ms).map((page) => [page.url, page]));
      const stored = await sql.unsafe(`SELECT _url, text, json FROM "${database}".t ORDER BY _url`);
      expect([...stored]).toEqual(
        [...latest.values()]
          .sort((a, b) => a.url.localeCompare(b.url))
          .map(({ url, text, json }) => ({
            _url: url,
            text: text.replaceAll('\0', ''),
            // NUL is dropped and -0 is 0 in jsonb.
            json: JSON.parse(JSON.stringify(json).replaceAll('\\u0000', '')) as unknown,
          })),
      );
    }),
    { numRuns: inject('isLong') ? 600 : 60 },
  );
});
