import { batchQueue } from '@gleaner/queue';
import { afterAll, expect, it } from 'vitest';
import { countRowsRead } from '../../testing/count-rows-read.ts';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { takeChunks } from './take-chunks.ts';
import { createChunkWriter } from './write-chunks.ts';

const { services, close } = await openTestServices();
const { sql } = services.db;
afterAll(close);

const TASKS = 1_000;
const PHASES = {
  host_wait_ms: 1,
  connect_ms: 2,
  first_byte_ms: 3,
  download_ms: 4,
  render_ms: 5,
  parse_ms: 6,
};

/** Bytes that statements wrote to temporary files because they did not fit into memory. */
async function readSpilled(): Promise<number> {
  // Sessions report it when they end.
  await countRowsRead(services.db);
  const [row] = await sql<{ bytes: string }[]>`
    SELECT temp_bytes::text AS bytes FROM pg_stat_database WHERE datname = current_database()`;
  return Number(row?.bytes);
}

it('writes the phases of many failures in memory that grows with them, not with their square', async () => {
  const { accountId } = await createTestAccount(services, { credits: TASKS, concurrency: 64 });
  const { no } = await submitTestRun(services, accountId, testUrls(TASKS));
  await sql`UPDATE gleaner.runs SET task_ms = 0.1 WHERE no = ${no}`;
  const taking = { queue: batchQueue('http'), workerId: 'wrk_test', slots: 1, freed: [] };
  const [chunk] = (await takeChunks(services, taking)).chunks;
  if (chunk?.seqs.length !== TASKS) throw new Error(`the chunk has ${chunk?.seqs.length} tasks`);
  const before = await readSpilled();
  const failed = chunk.seqs;
  const errors = failed.map(() => ({ code: 'fetch_failed' }) as const);
  const phases = Object.fromEntries(failed.map((seq) => [seq, PHASES]));
  await createChunkWriter(services, 'wrk_test').write(
    chunk,
    { succeeded: [], answers: [], failed, errors, phases },
    { end: { retries: [], left: [], busyMs: 1 } },
  );
  expect(await readSpilled()).toBe(before);
  const [row] = await sql`
    SELECT count(*)::int AS count FROM gleaner.results WHERE run_no = ${no} AND phases = ${JSON.stringify(PHASES)}::text::jsonb`;
  expect(row).toEqual({ count: TASKS });
});

it('refuses an answer of two lines, which would move the answers of other accounts', async () => {
  const { write } = createChunkWriter(services, 'wrk_test');
  const runs: string[] = [];
  while (runs.length < 2) {
    const { accountId } = await createTestAccount(services, { credits: 2, concurrency: 1 });
    runs.push((await submitTestRun(services, accountId, testUrls(2))).no);
  }
  const taking = { queue: batchQueue('http'), workerId: 'wrk_test', slots: 2, freed: [] };
  const { chunks } = await takeChunks(services, taking);
  const written = await Promise.allSettled(
    runs.map((no, place) => {
      const chunk = chunks.find(({ run }) => run === no);
      if (chunk === undefined) throw new Error(`run ${no} was not taken`);
      const answers = place === 0 ? ['{"a":\n1}', '{"a":2}'] : ['{"b":1}', '{"b":2}'];
      const end = { retries: [], left: [], busyMs: 1 };
      return write(chunk, { succeeded: [0, 1], answers, failed: [], errors: [] }, { end });
    }),
  );
  expect(written).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'done' }]);
  const rows =
    await sql`SELECT run_no::text AS no, answer FROM gleaner.results WHERE run_no = ANY (${runs}::bigint[]) ORDER BY seq`;
  expect(rows).toEqual(['{"b":1}', '{"b":2}'].map((answer) => ({ no: runs[1], answer })));
});
