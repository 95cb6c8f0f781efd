import { judgeRuns } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import { createTestDatabase } from '@gleaner/db/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { openRuns } from '../testing/open-runs.ts';

const pages = new Map<string, object>();
const runs = await openRuns(pages);
const elsewhere = await createTestDatabase();
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

function without(...skus: string[]): string[] {
  return SKUS.filter((sku) => !skus.includes(sku));
}

describe.each([
  ['managed', runs.database],
  ['external', theirs],
])('a %s table with missing: "mark"', (kind, database) => {
  const table = `marked_${kind}`;
  const [list, single, other] = ['list', 'single', 'other'].map((name) => `http://${kind}/${name}`) as [
    string,
    string,
    string,
  ];
  const sink = runs.table(table, { database, missing: 'mark' });
  let cron = '';
  let cursor: string | undefined;
  const params = { id: database, table };

  /** What the next firing changed, once it was judged. */
  const fire = async (): Promise<string[]> => {
    const firing = await runs.call('triggerCron', { params: { id: cron } });
    const id = String(firing['run_id']);
    await runs.awaitEnd(id);
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
  const marked = async (): Promise<unknown> => {
    const answer = await runs.call('listRows', {
      params,
      query: { limit: 100, filter: '{"_removed_at": {"gte": "2000-01-01"}}' },
    });
    return (answer['rows'] as { sku: string }[]).map(({ sku }) => sku).sort();
  };

  it('marks what pages of its cron give no more', async () => {
    pages
      .set(list, page(...SKUS))
      .set(single, page('x'))
      .set(other, page('y'));
    const target = runs.target;
    const inputs = [list, single, other].map((url) => ({ url }));
    cron = (
      await runs.call('createCron', {
        body: { name: table, description: '', schedule: '0 0 1 1 *', inputs, target, sink },
      })
    ).id;
    expect(await fire()).toHaveLength(14);
    pages.set(list, page(...without('s00'))).set(single, GONE);
    expect(await fire()).toEqual(['removed s00', 'removed x']);
    expect(await marked()).toEqual(['s00', 'x']);
    expect(await fire()).toEqual([]);
  });

  it('shows its return', async () => {
    pages.set(list, page(...SKUS));
    expect(await fire()).toEqual(['returned s00']);
    expect(await marked()).toEqual(['x']);
  });

  it('keeps what is behind a page that failed otherwise, and what another page gives', async () => {
    pages.set(list, BROKEN);
    expect(await fire()).toEqual([]);
    pages.set(list, page(...without('s01'))).set(other, page('y', 's01'));
    expect(await fire()).toEqual([]);
  });

  it('keeps everything when too much would go', async () => {
    pages.set(list, page('s02')).set(other, page('y'));
    expect(await fire()).toEqual([]);
  });

  it('marks nothing for batches, and for the next firing what a batch wrote last', async () => {
    pages.set(list, page(...SKUS));
    const seen = await runs.call('createBatch', { body: { target: runs.target, urls: [list], sink } });
    await runs.awaitEnd(seen.id);
    pages.set(list, page(...without('s03')));
    const batch = await runs.call('createBatch', { body: { target: runs.target, urls: [list], sink } });
    await runs.awaitEnd(batch.id);
    await judgeRuns(runs.services);
    expect(await marked()).toEqual(['x']);
    expect(await fire()).toEqual(['removed s03']);
  });
});
