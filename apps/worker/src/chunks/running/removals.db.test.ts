import { judgeRuns } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import { createElsewhere } from '@gleaner/db/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { openRuns } from '../testing/open-runs.ts';

const pages = new Map<string, object>();
const runs = await openRuns(pages);
const elsewhere = await createElsewhere();
const body = { name: 'theirs', kind: 'postgres', connection_url: elsewhere.url };
const { id: theirs } = await runs.call('createDatabase', { body });

afterAll(async () => {
  expect(await findViolations(runs.services.db)).toEqual([]);
  await runs.close();
  await elsewhere.close();
});

const SKUS = Array.from({ length: 12 }, (_, place) => `s${String(place).padStart(2, '0')}`);
const GONE = { code: 'fetch_failed', detail: 'the target answered with status 404', retryable: false };
const BROKEN = { code: 'fetch_failed', detail: 'the target answered with status 500', retryable: false };

function page(...skus: string[]): object {
  return { items: skus.map((sku) => ({ sku, price: 1 })) };
}

async function makeCron(name: string, urls: readonly string[], sink: object): Promise<string> {
  const inputs = urls.map((url) => ({ url }));
  const body = { name, description: '', schedule: '0 0 1 1 *', inputs, target: runs.target, sink };
  return (await runs.call('createCron', { body })).id;
}

/** Runs a cron to its end. @returns the run's id */
async function trigger(cron: string): Promise<string> {
  const firing = await runs.call('triggerCron', { params: { id: cron } });
  const id = String(firing['run_id']);
  await runs.awaitEnd(id);
  return id;
}

async function runBatch(url: string, sink: object): Promise<void> {
  const { id } = await runs.call('createBatch', { body: { target: runs.target, urls: [url], sink } });
  await runs.awaitEnd(id);
}

function without(...skus: string[]): string[] {
  return SKUS.filter((sku) => !skus.includes(sku));
}

describe.each([
  ['managed', 'mark', runs.database],
  ['external', 'mark', theirs],
  ['managed', 'delete', runs.database],
  ['external', 'delete', theirs],
] as const)('a %s table with missing: "%s"', (kind, missing, database) => {
  const table = `${missing}_${kind}`;
  const [list, single, other] = ['list', 'single', 'other'].map((name) => `http://${table}/${name}`) as [
    string,
    string,
    string,
  ];
  const sink = runs.table(table, { database, missing });
  let cron = '';
  let last = '';
  let cursor: string | undefined;
  const params = { id: database, table };

  const judge = async (): Promise<string[]> => {
    const id = last;
    await judgeRuns(runs.services);
    const answer = await runs.call('getChanges', {
      params,
      query: { limit: 100, ...(cursor !== undefined && { after: cursor }) },
    });
    cursor = String(answer['cursor']);
    const changes = answer['changes'] as { kind: string; key: { sku: string }; run_id: string }[];
    expect(changes.every(({ run_id: run }) => run === id)).toBe(true);
    const { rows } = await runs.call('getBatch', { params: { id } });
    const count = (wanted: string): number => changes.filter((change) => change.kind === wanted).length;
    expect(rows).toEqual({
      new: count('new'),
      changed: count('changed'),
      removed: count('removed'),
      returned: count('returned'),
    });
    return changes.map((change) => `${change.kind} ${change.key.sku}`).sort();
  };
  /** What the next firing changed, once it was judged. */
  const fire = async (): Promise<string[]> => {
    last = await trigger(cron);
    return judge();
  };
  const known = [...SKUS, 'x', 'y'];
  /** The rows that are marked, or no more there. */
  const gone = async (): Promise<unknown> => {
    const answer = await runs.call('listRows', { params, query: { limit: 100 } });
    const rows = answer['rows'] as { sku: string; _removed_at?: string | null }[];
    if (missing === 'delete') expect(rows.filter((row) => '_removed_at' in row)).toEqual([]);
    const there = rows.flatMap(({ sku, _removed_at: removed }) => ((removed ?? null) === null ? [sku] : []));
    return known.filter((sku) => !there.includes(sku)).sort();
  };
  const decide = (operation: string, id = last) => runs.call(operation, { params: { id } });
  const removals = async (id = last): Promise<unknown> => {
    const { publication, held_removals: held } = await runs.call('getBatch', { params: { id } });
    return [publication, held];
  };

  it('loses what pages of its cron give no more', async () => {
    pages
      .set(list, page(...SKUS))
      .set(single, page('x'))
      .set(other, page('y'));
    const inputs = [list, single, other];
    cron = await makeCron(table, inputs, sink);
    expect(await fire()).toHaveLength(14);
    pages.set(list, page(...without('s00'))).set(single, GONE);
    expect(await fire()).toEqual(['removed s00', 'removed x']);
    expect(await gone()).toEqual(['s00', 'x']);
    expect(await fire()).toEqual([]);
  });

  it('shows its return', async () => {
    pages.set(list, page(...SKUS));
    expect(await fire()).toEqual(['returned s00']);
    expect(await gone()).toEqual(['x']);
  });

  it('keeps what is behind a page that failed otherwise, and what another page gives', async () => {
    pages.set(list, BROKEN);
    expect(await fire()).toEqual([]);
    pages.set(list, page(...without('s01'))).set(other, page('y', 's01'));
    expect(await fire()).toEqual([]);
  });

  it('keeps everything when too much would go, until somebody decides', async () => {
    pages.set(list, page('s02')).set(other, page('y'));
    expect(await fire()).toEqual([]);
    const first = last;
    const waiting = ['held', [{ database, table, rows: 11, of: 13 }]];
    expect(await removals()).toEqual(waiting);
    await expect(runs.call('dropTable', { params })).rejects.toMatchObject({ code: 'in_use' });
    await expect(runs.call('deleteDatabase', { params: { id: database } })).rejects.toMatchObject({
      code: 'in_use',
    });
    expect(await fire()).toEqual([]);
    expect(await removals(first)).toEqual(['discarded', []]);
    expect(await removals()).toEqual(waiting);
    await expect(decide('publishRun', first)).rejects.toMatchObject({ code: 'already_finished' });
    expect(await decide('discardRun')).toEqual({ id: last, publication: 'discarded' });
    await expect(decide('discardRun')).rejects.toMatchObject({ code: 'already_finished' });
    expect(await judge()).toEqual([]);
    const { runs: firings } = await runs.call('listCronRuns', { params: { id: cron }, query: { limit: 1 } });
    expect(firings).toMatchObject([{ run_id: last, run: { publication: 'discarded' } }]);
  });

  it('loses nothing by batches, and for the next firing what a batch wrote last', async () => {
    pages.set(list, page(...SKUS));
    await runBatch(list, sink);
    pages.set(list, page(...without('s03')));
    await runBatch(list, sink);
    await judgeRuns(runs.services);
    expect(await gone()).toEqual(['x']);
    expect(await fire()).toEqual(['removed s03']);
  });

  it('takes no row that was fetched before its page was, and one that was fetched later', async () => {
    const late = `http://${table}/late`;
    pages.set(late, { ...page('s03'), ageMs: 600_000 });
    await runBatch(late, sink);
    expect(await gone()).toEqual(['s03', 'x']);
    pages.set(late, page('s03'));
    await runBatch(late, sink);
    expect(await gone()).toEqual(['x']);
    const { changes, cursor: next } = await runs.call('getChanges', { params, query: { after: cursor } });
    expect(changes).toMatchObject([{ kind: 'returned', key: { sku: 's03' } }]);
    cursor = String(next);
  });

  it('loses a row at the time at which its page was fetched', async () => {
    const timed = runs.table(`timed_${table}`, { database, missing });
    const [first, late] = [`http://${table}/timed`, `http://${table}/timed-late`];
    pages.set(first, { ...page(...SKUS.slice(0, 7)), ageMs: 900_000 });
    const own = await makeCron(`timed_${table}`, [first], timed);
    await trigger(own);
    // What somebody fetched after the page stays, also when that was before the run began.
    pages.set(late, { ...page('s00'), ageMs: 300_000 });
    await runBatch(late, timed);
    pages.set(first, { ...page(...SKUS.slice(2, 7)), ageMs: 600_000 });
    const begun = Date.now();
    await trigger(own);
    await judgeRuns(runs.services);
    const { changes } = await runs.call('getChanges', {
      params: { id: database, table: `timed_${table}` },
      query: { kinds: 'removed' },
    });
    expect(changes).toMatchObject([{ kind: 'removed', key: { sku: 's01' } }]);
    const [{ at } = { at: '' }] = changes as { at: string }[];
    expect(begun - Date.parse(at)).toBeGreaterThan(500_000);
  });

  it('loses what somebody published', async () => {
    pages.set(list, page('s02'));
    expect(await fire()).toEqual([]);
    const others = without('s02', 's03');
    expect(await removals()).toMatchObject(['held', [{ rows: others.length }]]);
    expect(await decide('publishRun')).toEqual({ id: last, publication: 'publishing' });
    expect(await judge()).toEqual(others.map((sku) => `removed ${sku}`));
    expect(await removals()).toEqual(['published', []]);
    expect(await gone()).toEqual([...others, 'x']);
    await expect(decide('publishRun')).rejects.toMatchObject({ code: 'already_finished' });
  });
});

it('judges a run in the millisecond in which it is due', async () => {
  const { sql } = runs;
  for (let round = 0; round < 100; round += 1) {
    await sql`INSERT INTO gleaner.run_judgements (run_no, account_id) VALUES (-1, 'acc_nobody')`;
    await judgeRuns(runs.services);
    expect(await sql`DELETE FROM gleaner.run_judgements WHERE run_no = -1`).toHaveProperty('count', 0);
  }
});
