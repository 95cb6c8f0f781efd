import { ENGINE } from '@gleaner/db';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../platform/config/load-config.ts';
import { childrenLength } from '../tasks/children.ts';
import { createChildMaker } from './make-children.ts';
import type { StageSpec } from './stage-spec.ts';
import { childBatches, createCarriedReader, readCarried } from './store-children.ts';

const test = await createTestDatabase();
const { sql } = test.db;
afterAll(() => test.close());

const { sites } = loadConfig({ DATABASE_URL: 'postgres://nowhere/none' });
const COUNT = 10_000;
const big = 'x'.repeat(1_000_000);

function makerOf(carried: Record<string, string | null>) {
  const output = {
    run: '7',
    path: '$.list[*].url',
    api: null,
    as: null,
    carried: Object.fromEntries(Object.entries(carried).map(([name, path]) => [name, { path }])),
  };
  const spec: StageSpec = { rootId: 'wfr_1', rootNo: '1', name: 'list', outputs: [output], columns: [] };
  return createChildMaker(spec, sites);
}

function pageOf(url: (place: number) => string, note: (place: number) => string) {
  const list = Array.from({ length: COUNT }, (_, place) => ({ url: url(place), note: note(place) }));
  return { data: { big, list }, finalUrl: 'http://a.test/', carried: { own: big } };
}

it('keeps a long value once, though 10,000 children carry it', async () => {
  const carried = { big: '$.big', own: null, note: '$.list[*].note' };
  const given = makerOf(carried)(
    pageOf(
      (n) => `http://a.test/${n}`,
      (n) => `note ${n}`,
    ),
  );
  expect(given[0]?.inputs).toHaveLength(COUNT);
  expect(childrenLength(given)).toBeLessThan(4_000_000);

  const batches = childBatches({ rootNo: '1', children: [{ seq: 0, given }] });
  const text = JSON.stringify(batches);
  expect(text.length).toBeLessThan(4_000_000);
  await sql`SELECT ${sql(ENGINE)}.add_children(1, 2, ${text}::text::jsonb)`;
  // The same again, of another page.
  await sql`SELECT ${sql(ENGINE)}.add_children(1, 2, ${text}::text::jsonb)`;
  const [stored] =
    await sql`SELECT count(*)::int AS count, sum(length(value))::int AS length FROM gleaner.carried_values`;
  expect(stored).toEqual({ count: 1, length: big.length + 2 });

  await sql`
    INSERT INTO gleaner.tasks (run_no, seq, input, carried)
    SELECT n.no, l.place - 1, 'http://a.test/', l.line
    FROM (SELECT (SELECT ${sql(ENGINE)}.next_number()) AS no) n, gleaner.child_batches b,
      string_to_table(b.carried, E'\n') WITH ORDINALITY l (line, place)
    WHERE b.id = (SELECT min(id) FROM gleaner.child_batches)`;
  const [run] = await sql<{ no: string }[]>`SELECT max(run_no)::text AS no FROM gleaner.tasks`;
  await sql`UPDATE gleaner.carried_values SET run_no = ${run?.no ?? ''}`;
  const chunk = { run: run?.no ?? '', seqs: [0, 1_999] };
  const read = createCarriedReader(test);
  const values = await Promise.all((await readCarried(test, chunk)).map((own) => read(chunk.run, own)));
  expect(values).toEqual([
    { big, own: big, note: 'note 0' },
    { big, own: big, note: 'note 1999' },
  ]);
});

it('refuses a page whose children are larger than 16 MB, and says what to do', () => {
  const long = 'y'.repeat(8_000);
  const isTooLarge = expect.objectContaining({
    code: 'extraction_failed',
    options: expect.objectContaining({
      retryable: false,
      detail: expect.stringContaining('16 MB') as string,
    }) as object,
  }) as unknown;
  const tries = [
    () =>
      makerOf({})(
        pageOf(
          (n) => `http://a.test/${n}?${long}`,
          () => '',
        ),
      ),
    () =>
      makerOf({ note: '$.list[*].note' })(
        pageOf(
          (n) => `http://a.test/${n}`,
          (n) => `${n} ${long}`,
        ),
      ),
    () =>
      makerOf({ note: '$.list[*].note' })(
        pageOf(
          (n) => `http://a.test/${n}`.padEnd(1_500, 'z'),
          (n) => `${n}`.padEnd(200),
        ),
      ),
  ];
  for (const attempt of tries) {
    let thrown: unknown;
    try {
      attempt();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toEqual(isTooLarge);
  }
});
