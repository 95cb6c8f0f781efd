import { afterAll, expect, it } from 'vitest';
import { submitTestRun, testUrls } from '../../testing/submit-test-run.ts';
import { createTestAccount, openTestServices } from '../../testing/test-services.ts';
import { createRunWatches } from './run-watches.ts';

const opened = await openTestServices();
afterAll(opened.close);

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
    for await (const state of watches.follow(id, read, ending.signal)) seen.push(state);
  };
  const [moved] = runs;
  const done = Promise.all([...runs, moved].map((run) => watch(run?.id ?? '')));
  // The first look gives each watcher a state; the two watchers of one run share it.
  await expect.poll(() => seen.length).toBe(21);
  await services.db.sql`UPDATE gleaner.runs SET failed = 1 WHERE id = ${moved?.id ?? ''}`;
  await expect.poll(() => seen.length).toBe(23);
  expect(seen.slice(21)).toEqual([`${moved?.id} 2`, `${moved?.id} 2`]);
  // Further looks find nothing new, so nothing is read.
  await services.db.sql`UPDATE gleaner.runs SET failed = 2 WHERE id = ${moved?.id ?? ''}`;
  await expect.poll(() => seen.length).toBe(25);
  expect(runs.map(({ id }) => reads.get(id))).toEqual(runs.map((run) => (run === moved ? 3 : 1)));
  ending.abort();
  await done;
});

it('a watcher that joins late gets a state at once, and a stage’s progress is its workflow run’s', async () => {
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
    for await (const state of watches.follow(root.id, read, ending.signal)) states?.push(state);
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
