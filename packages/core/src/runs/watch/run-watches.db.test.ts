import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createRunWatches, type Watched } from './run-watches.ts';

const opened = await openTestServices();
afterAll(opened.close);

/** A run of so many tasks of which none has begun. */
function waiting(total: number): Watched {
  const none = { running: 0, succeeded: 0, failed: 0, cancelled: 0, waiting_for_sink: 0 };
  return { status: 'pending', counts: { ...none, total, pending: total } };
}

it('watchers learn of changes of their run alone, and share what is read of it', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000, concurrency: 1 });
  const runs = await Promise.all(
    Array.from({ length: 20 }, () => submitTestRun(services, accountId, testUrls(2))),
  );
  const ending = new AbortController();
  const watches = createRunWatches(services);
  const reads = new Map<string, number>();
  const seen: string[] = [];
  const watch = async (id: string): Promise<void> => {
    const read = (): Promise<string> => {
      reads.set(id, (reads.get(id) ?? 0) + 1);
      return Promise.resolve(`${id} ${reads.get(id)}`);
    };
    for await (const state of watches.follow(id, waiting(2), read, ending.signal)) seen.push(state);
  };
  const [moved] = runs;
  const done = Promise.all([...runs, moved].map((run) => watch(run?.id ?? '')));
  await services.db.sql`UPDATE gleaner.runs SET failed = 1 WHERE id = ${moved?.id ?? ''}`;
  // The two watchers of one run share its state.
  await expect.poll(() => seen).toEqual([`${moved?.id} 1`, `${moved?.id} 1`]);
  await services.db.sql`UPDATE gleaner.runs SET failed = 2 WHERE id = ${moved?.id ?? ''}`;
  await expect.poll(() => seen.length).toBe(4);
  // Of the others every look found what their watchers had, so nothing is read.
  expect(runs.map(({ id }) => reads.get(id) ?? 0)).toEqual(runs.map((run) => (run === moved ? 2 : 0)));
  ending.abort();
  await done;
});

it('a watcher that joins with an older state gets the present one at once, and a stage’s progress is its workflow run’s', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 1_000 });
  const [root, stage] = await Promise.all([
    submitTestRun(services, accountId, testUrls(1)),
    submitTestRun(services, accountId, testUrls(1)),
  ]);
  await services.db.sql`UPDATE gleaner.runs SET root_no = ${root.no} WHERE no = ${stage.no}`;
  const ending = new AbortController();
  const watches = createRunWatches(services);
  let count = 0;
  const seen: number[][] = [[], []];
  const watch = async (states: number[] | undefined): Promise<void> => {
    const read = (): Promise<number> => Promise.resolve((count += 1));
    for await (const state of watches.follow(root.id, waiting(1), read, ending.signal)) states?.push(state);
  };
  const first = watch(seen[0]);
  await expect.poll(() => seen[0]).toEqual([1]);
  const second = watch(seen[1]);
  await expect.poll(() => seen[1]).toEqual([1]);
  await services.db.sql`UPDATE gleaner.runs SET failed = 1 WHERE no = ${stage.no}`;
  await expect
    .poll(() => seen)
    .toEqual([
      [1, 2],
      [1, 2],
    ]);
  ending.abort();
  await Promise.all([first, second]);
});
