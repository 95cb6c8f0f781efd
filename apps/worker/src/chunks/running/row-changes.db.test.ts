import { findViolations } from '@gleaner/core/find-violations';
import { createElsewhere } from '@gleaner/db/testing';
import { afterAll, expect, it } from 'vitest';
import { type Called, openRuns } from '../testing/open-runs.ts';

const pages = new Map<string, object>();
const runs = await openRuns(pages);
const elsewhere = await createElsewhere();

afterAll(async () => {
  expect(await findViolations(runs.services.db)).toEqual([]);
  await runs.close();
  await elsewhere.close();
});

async function batch(urls: string[], sink: object): Promise<Called> {
  const { id } = await runs.call('createBatch', { body: { target: runs.target, urls, sink } });
  await runs.awaitEnd(id);
  return runs.call('getBatch', { params: { id } });
}

const body = { name: 'theirs', kind: 'postgres', connection_url: elsewhere.url };
const { id: theirs } = await runs.call('createDatabase', { body });

function databaseOf(kind: string): string {
  return kind === 'managed' ? runs.database : theirs;
}

const NOTHING = { new: 0, changed: 0, removed: 0, returned: 0 };

it.each(['managed', 'external'])('a run counts what its rows changed in a %s table', async (kind) => {
  const database = databaseOf(kind);
  const sink = runs.table(`counted_${kind}`, { database });
  const page = `http://${kind}/1`;
  pages.set(page, { items: ['a', 'b', 'c'].map((sku) => ({ sku, price: 1 })) });
  expect(await batch([page], sink)).toMatchObject({ rows: { ...NOTHING, new: 3 } });
  expect(await batch([page], sink)).toMatchObject({ rows: NOTHING });
  pages.set(page, { items: ['b', 'c', 'd'].map((sku) => ({ sku, price: sku === 'b' ? 2 : 1 })) });
  const changed = await batch([page, 'http://gone/'], sink);
  expect(changed).toMatchObject({ rows: { ...NOTHING, new: 1, changed: 1 }, counts: { failed: 1 } });
  const params = { id: database, table: `counted_${kind}` };
  const { changes } = await runs.call('getChanges', { params, query: {} });
  expect(changes).toMatchObject(
    ['a', 'b', 'c', 'd', 'b'].map((sku, place) => ({
      kind: place === 4 ? 'changed' : 'new',
      key: { sku },
      ...(place > 2 && { run_id: changed.id }),
    })),
  );
  await runs.call('deleteRows', { params, query: { filter: '{"sku": "a"}', count: 1 } });
  pages.set(page, { items: [{ sku: 'a', price: 1 }] });
  expect(await batch([page], sink)).toMatchObject({ rows: { ...NOTHING, returned: 1 } });
});

it('a table without history counts nothing, and neither does a run that wrote nothing', async () => {
  pages.set('http://plain/', { items: [{ sku: 'a' }] });
  expect(await batch(['http://plain/'], runs.table('plain', { history: undefined }))).toMatchObject({
    rows: null,
  });
  expect(await batch(['http://none/'], runs.table('none'))).toMatchObject({ rows: null });
});

it('a firing and a workflow run with its stages have what all their rows changed', async () => {
  pages.set('http://w/1', { items: [{ sku: 'a', price: 1, next: 'http://w/2' }] });
  pages.set('http://w/2', { items: [{ sku: 'b' }, { sku: 'c' }] });
  const stage = { target: runs.target, sink: runs.table('staged') };
  const stages = [
    { name: 'list', ...stage },
    { name: 'items', ...stage, from: { stage: 'list', path: '$.items[*].next' } },
  ];
  const workflow = await runs.call('createWorkflow', { body: { name: 'w', stages } });
  const cron = await runs.call('createCron', {
    body: {
      name: 'c',
      description: '',
      schedule: '0 0 1 1 *',
      url: 'http://w/1',
      target: { type: 'workflow', workflowId: workflow.id },
    },
  });
  const params = { id: cron.id };
  const fire = async (): Promise<Called> => {
    const { run_id: id } = await runs.call('triggerCron', { params });
    await runs.awaitEnd(String(id));
    return runs.call('getWorkflowRun', { params: { id } });
  };
  expect(await fire()).toMatchObject({
    rows: { ...NOTHING, new: 3 },
    stages: [{ rows: { ...NOTHING, new: 1 } }, { rows: { ...NOTHING, new: 2 } }],
  });
  pages.set('http://w/2', { items: [{ sku: 'b', price: 2 }, { sku: 'c' }] });
  expect(await fire()).toMatchObject({ rows: { ...NOTHING, changed: 1 } });
  expect(await runs.call('listCronRuns', { params, query: { limit: 10 } })).toMatchObject({
    runs: [{ run: { rows: { ...NOTHING, changed: 1 } } }, { run: { rows: { ...NOTHING, new: 3 } } }],
  });
  expect(await runs.call('getUsage', { query: { group_by: 'cron', cron: cron.id } })).toMatchObject({
    usage: [{ rows: { new: 3, changed: 1, removed: 0 } }],
  });
});

it.each(['managed', 'external'])(
  'a time that the page counts from now changes no row of a %s table',
  async (kind) => {
    const sink = runs.table(`ago_${kind}`, { database: databaseOf(kind) });
    const page = `http://ago/${kind}`;
    const see = async (seen: string, relative?: Record<string, number>): Promise<unknown> => {
      pages.set(page, { items: [{ sku: 'a', seen }], ...(relative && { relative }) });
      return (await batch([page], sink))['rows'];
    };
    expect(await see('2026-01-01T10:00:00Z', { 'items.0.seen': 3_600 })).toEqual({ ...NOTHING, new: 1 });
    expect(await see('2026-01-01T12:00:00Z', { 'items.0.seen': 3_600 })).toEqual(NOTHING);
    expect(await see('2026-01-01T12:40:00Z')).toEqual(NOTHING);
    expect(await see('2026-01-01T12:41:00Z')).toEqual({ ...NOTHING, changed: 1 });
  },
);

it.each(['managed', 'external'])(
  'a time within a list that the page counts from now changes no row of a %s table, and the rest of the list does',
  async (kind) => {
    const sink = runs.table(`reviews_${kind}`, { database: databaseOf(kind) });
    const page = `http://reviews/${kind}`;
    const see = async (reviews: object[], relative: Record<string, number>): Promise<unknown> => {
      pages.set(page, { items: [{ sku: 'a', reviews }], relative });
      return (await batch([page], sink))['rows'];
    };
    const [first, second] = ['items.0.reviews.0.at', 'items.0.reviews.1.at'];
    const by = (name: string, at: string): object => ({ name, at, votes: [{ at }] });
    expect(
      await see([by('x', '2026-01-01T10:00:00Z')], { [first]: 60, 'items.0.reviews.0.votes.0.at': 60 }),
    ).toEqual({
      ...NOTHING,
      new: 1,
    });
    expect(
      await see([by('x', '2026-01-01T11:00:00Z')], { [first]: 3600, 'items.0.reviews.0.votes.0.at': 60 }),
    ).toEqual(NOTHING);
    expect(
      await see([by('x!', '2026-01-01T11:00:00Z')], { [first]: 60, 'items.0.reviews.0.votes.0.at': 60 }),
    ).toEqual({
      ...NOTHING,
      changed: 1,
    });
    const both = [by('x!', '2026-01-01T11:30:00Z'), by('y', '2026-01-01T12:00:00Z')];
    expect(await see(both, { [second]: 60, 'items.0.reviews.1.votes.0.at': 60 })).toEqual({
      ...NOTHING,
      changed: 1,
    });
    const later = [by('x!', '2026-01-01T11:00:00Z'), by('y', '2026-01-01T13:00:00Z')];
    expect(await see(later, { [second]: 3600, 'items.0.reviews.1.votes.0.at': 60 })).toEqual(NOTHING);
  },
);
