import { afterAll, describe, expect, it } from 'vitest';
import { none } from '../databases/testing/test-databases.ts';
import { dropTable } from '../databases/change-databases.ts';
import { deleteRows } from '../databases/delete-rows.ts';
import { getDatabase } from '../databases/read-databases.ts';
import { getChanges } from './read-changes.ts';
import { pruneChanges } from './prune-changes.ts';
import { getRowHistory } from './read-history.ts';
import { openFeed, tell } from './testing/open-feed.ts';

const feeds = [await openFeed('managed'), await openFeed('external')] as const;
afterAll(async () => {
  for (const feed of feeds) await feed.close();
});

describe.each([
  ['managed', feeds[0]],
  ['external', feeds[1]],
] as const)('the changes of a table of a database: %s', (_kind, feed) => {
  it('leave tables alone whose own field is called as theirs', async () => {
    for (const name of ['own', 'other']) {
      await feed.sql.unsafe(
        `CREATE TABLE "${feed.schema}".${name} (sku text PRIMARY KEY, _checked_at timestamptz)`,
      );
      expect(await feed.put(name, { history: false })).toMatchObject({ name, history: null, rows: 0 });
    }
    const { tables } = await getDatabase(feed.ctx, { ...none, params: { id: feed.id } });
    const own = tables?.filter(({ name }) => name === 'own' || name === 'other');
    expect(own?.map(({ name, history }) => [name, history])).toEqual([
      ['other', null],
      ['own', null],
    ]);
    await feed.sql.unsafe(`DROP TABLE "${feed.schema}".own, "${feed.schema}".other`);
  });

  it('are new rows and changed values, in the order of their commits', async () => {
    const writer = await feed.open({ table: 'products', history: true, volatile: ['stock'] });
    await feed.save(writer, [
      { sku: 'a', price: 1, stock: 5, tags: [1.5, { x: null }], seen: '2026-01-01T00:00:00Z' },
      { sku: 'b', price: 2 },
    ]);
    const start = await feed.changes('products');
    expect(start.changes.map(tell)).toEqual(['["new","a",{"price":1}]', '["new","b",{"price":2}]']);
    expect(start.changes[0]).toMatchObject({
      key: { sku: 'a' },
      run_id: 'job_1',
      row: {
        sku: 'a',
        price: 1,
        stock: 5,
        tags: [1.5, { x: null }],
        seen: '2026-01-01T00:00:00.000Z',
        _url: 'http://a/',
      },
    });
    // Only what isn't volatile counts; an equal JSON value in another form is the same.
    await feed.save(
      writer,
      [
        { sku: 'a', price: 1, stock: 4, tags: [1.5, { x: null }], seen: '2026-01-01' },
        { sku: 'b', price: null },
      ],
      { second: 1, url: 'http://b/' },
    );
    const none1 = await feed.changes('products', { after: start.cursor });
    expect(none1).toEqual({ changes: [], cursor: start.cursor });
    await feed.save(writer, [{ sku: 'b', price: 3, stock: 9 }], { second: 2 });
    await feed.save(writer, [{ sku: 'b', price: 1, stock: 1 }], { second: 1 });
    const { changes, cursor } = await feed.changes('products', { after: start.cursor });
    expect(changes.map(tell)).toEqual(['["changed","b",{"price":2},{"price":3}]']);
    const ids = [...start.changes, ...changes].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(await feed.changes('products', { after: 'now' })).toEqual({ changes: [], cursor });
    expect((await feed.changes('products', { kinds: ['changed'] })).changes.map(tell)).toEqual(
      changes.map(tell),
    );
    expect((await feed.changes('products', { limit: 1 })).changes).toHaveLength(1);
  });

  it('make nothing new of a row that is written again at the time of its fetch', async () => {
    const writer = await feed.open({ table: 'again', history: true });
    // The server's clock moves between two of them, so not all have the same millisecond.
    for (let round = 0; round < 20; round += 1)
      await feed.save(writer, [{ sku: 'a', price: 1 }], { second: 5 });
    expect((await feed.changes('again')).changes.map(tell)).toEqual(['["new","a",{"price":1}]']);
  });

  it('leave an unchanged row as it is, but for when it was checked', async () => {
    const writer = await feed.open({ table: 'checked', history: true, volatile: ['stock'] });
    await feed.save(writer, [{ sku: 'a', price: 1, stock: 5 }]);
    const [before] = await feed.rows('checked');
    const later = await feed.open({ table: 'checked' }, 'job_2');
    await feed.save(later, [{ sku: 'a', price: 1, stock: 4 }], { second: 5 });
    const [after] = await feed.rows('checked');
    expect(after).toEqual({ ...before, stock: '4', _run_id: 'job_2', _checked_at: after?.['_checked_at'] });
    expect(
      Date.parse(String(after?.['_checked_at'])) - Date.parse(String(before?.['_checked_at'])),
    ).toBeGreaterThan(0);
    // Fetched after the values, but before the row was checked.
    await feed.save(later, [{ sku: 'a', price: 7 }], { second: 3 });
    expect(await feed.rows('checked')).toEqual([after]);
  });

  it('are none where a value was read from a relative time, or is no more than its unit away from one', async () => {
    const writer = await feed.open({ table: 'posted', history: true });
    let second = 0;
    const see = async (time: string, relative?: { seen: number }): Promise<unknown> => {
      const { cursor } = await feed.changes('posted');
      second += 1;
      const seen = `2026-01-01T${time}:00.000Z`;
      await feed.save(writer, [{ sku: 'a', seen }], { second, ...(relative && { relative }) });
      expect(await feed.rows('posted')).toMatchObject([{ seen: `2026-01-01 ${time}:00+00` }]);
      return (await feed.changes('posted', { after: cursor })).changes.map(tell);
    };
    await feed.save(writer, [{ sku: 'a', seen: '2026-01-01T09:00:00Z' }]);
    const hours = { seen: 3_600 };
    expect(await see('10:00', hours)).toEqual([]);
    expect(await see('10:20', hours)).toEqual([]);
    expect(await see('11:20')).toEqual([]);
    expect(await see('11:21')).toHaveLength(1);
    expect(await see('12:00', hours)).toEqual([]);
    expect(await see('13:01')).toEqual([
      '["changed","a",{"seen":"2026-01-01T12:00:00.000Z"},{"seen":"2026-01-01T13:01:00.000Z"}]',
    ]);
    expect((await feed.changes('posted')).changes[0]?.row).not.toHaveProperty('_relative');
  });

  it('begin with the PUT, also for a writer that was there before', async () => {
    const writer = await feed.open({ table: 'later' });
    await feed.save(writer, [{ sku: 'a', price: 1 }]);
    await expect(feed.open({ table: 'later', history: true })).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'sink.history', hint: expect.stringContaining('PUT ') },
    });
    await expect(feed.changes('later')).rejects.toMatchObject({ code: 'not_found' });
    await expect(feed.put('nowhere', { history: true })).rejects.toMatchObject({ code: 'not_found' });
    await expect(feed.put('later', { history: true, volatile: ['colour'] })).rejects.toMatchObject({
      options: { field: 'volatile' },
    });
    const put = await feed.put('later', { history: true, volatile: ['stock'] });
    expect(put).toMatchObject({ name: 'later', history: { volatile: ['stock'], missing: 'keep' } });
    expect(await feed.put('later', { history: true })).toEqual(put);
    await feed.save(
      writer,
      [
        { sku: 'a', price: 2 },
        { sku: 'c', price: 1 },
      ],
      { second: 1 },
    );
    const { changes } = await feed.changes('later', { after: put.cursor ?? '' });
    expect(changes.map(tell)).toEqual(['["new","c",{"price":1}]', '["changed","a",{"price":1},{"price":2}]']);
    await expect(feed.open({ table: 'later', missing: 'mark' })).rejects.toMatchObject({
      options: { field: 'sink.missing' },
    });
    // The writer doesn't know yet that the settings are others.
    await feed.put('later', { volatile: ['price'] });
    await feed.save(writer, [{ sku: 'a', price: 3, stock: 1 }], { second: 2 });
    expect((await feed.changes('later')).changes.slice(2).map(tell)).toEqual([
      '["changed","a",{"stock":null},{"stock":1}]',
    ]);
    const record = await getDatabase(feed.ctx, { ...none, params: { id: feed.id } });
    const names = record.tables?.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(['checked', 'later', 'products']));
    expect(names.filter((name) => name.startsWith('_gleaner'))).toEqual([]);
    // Its end is the end of its cursors.
    const { cursor } = await feed.changes('later');
    expect((await feed.put('later', { history: false })).cursor).toBeNull();
    await feed.save(writer, [{ sku: 'a', price: 4 }], { second: 3 });
    await expect(feed.changes('later', { after: cursor })).rejects.toMatchObject({ code: 'cursor_expired' });
    await expect(feed.changes('later')).rejects.toMatchObject({ code: 'not_found' });
    await feed.put('later', { history: true });
    await expect(feed.changes('later', { after: cursor })).rejects.toMatchObject({ code: 'cursor_expired' });
    await expect(feed.changes('products', { after: cursor })).rejects.toMatchObject({
      code: 'invalid_request',
      options: { field: 'after' },
    });
    await expect(feed.changes('later', { after: `${cursor.slice(0, -4)}AAAA` })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await dropTable(feed.ctx, { ...none, params: { id: feed.id, table: 'later' } });
    await feed.save(writer, [{ sku: 'a', price: 4 }], { second: 4 });
    await expect(feed.changes('later', { after: cursor })).rejects.toMatchObject({ code: 'cursor_expired' });
  });

  it('tell long texts by their size and digest, and a row’s whole past', async () => {
    const writer = await feed.open(
      { table: 'texts', history: true },
      'job_1',
      ['sku', 'text'].map((name) => ({ name, type: 'text', nullable: true, key: name === 'sku' })),
    );
    const write = (text: string, second: number) =>
      feed.save(writer, [{ sku: 'a"\\', text } as never], { second });
    await write('short', 1);
    await write('é'.repeat(40_000), 2);
    await write('short', 3);
    const query = { key: '{"sku":"a\\"\\\\"}', cursor: undefined, limit: 2 };
    const params = { id: feed.id, table: 'texts' };
    const page = await getRowHistory(feed.ctx, { ...none, params, query });
    expect(page.changes.map(({ kind }) => kind)).toEqual(['new', 'changed']);
    expect(page.changes[1]?.after).toEqual({
      text: { bytes: 80_000, sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    });
    const rest = await getRowHistory(feed.ctx, {
      ...none,
      params,
      query: { ...query, cursor: page.pagination.cursor ?? '' },
    });
    expect(rest.changes.map(({ after }) => after)).toEqual([{ text: 'short' }]);
    expect(rest.pagination).toEqual({ cursor: null, has_more: false });
  });

  it('tell rows that were deleted, and their return', async () => {
    const writer = await feed.open({ table: 'deleted', history: true });
    await feed.save(writer, [
      { sku: 'a', price: 1 },
      { sku: 'b', price: 2 },
    ]);
    const { cursor } = await feed.changes('deleted');
    const params = { id: feed.id, table: 'deleted' };
    const query = { filter: '{"sku":"b"}', count: 1, dry_run: false };
    await deleteRows(feed.ctx, { ...none, params, query });
    await feed.save(writer, [{ sku: 'b', price: 3 }], { second: 1 });
    const { changes } = await feed.changes('deleted', { after: cursor });
    expect(changes.map(({ kind, key }) => [kind, key])).toEqual([
      ['removed', { sku: 'b' }],
      ['returned', { sku: 'b' }],
    ]);
    expect([changes[0]?.before, changes[1]?.row]).toMatchObject([
      { sku: 'b', price: 2, _url: 'http://a/' },
      { sku: 'b', price: 3 },
    ]);
  });

  it('are read back from the newest, in pages of any size', async () => {
    const writer = await feed.open({ table: 'backward', history: true });
    // Places have one digit, and then two.
    for (let price = 1; price <= 12; price += 1)
      await feed.save(
        writer,
        [{ sku: 'a', price }, { sku: 'b', price }, ...(price === 2 ? [{ sku: 'c' }] : [])],
        {
          second: price,
        },
      );
    const { changes, cursor } = await feed.changes('backward');
    expect(changes).toHaveLength(25);
    expect(await feed.changes('backward', { after: 'now' })).toEqual({ changes: [], cursor });
    for (const kinds of [undefined, ['new' as const]])
      for (const limit of [1, 2, 3, 100]) {
        const found: unknown[] = [];
        for (let before = 'now', end = false; !end;) {
          const page = await feed.changes('backward', { before, kinds, limit });
          found.push(...page.changes);
          end = page.cursor === before;
          before = page.cursor;
        }
        const wanted = changes.filter(({ kind }) => kinds === undefined || kind === 'new');
        expect(found).toEqual(wanted.toReversed());
      }
    await expect(feed.changes('backward', { before: 'now', after: 'now' })).rejects.toMatchObject({
      options: { field: 'before' },
    });
    await expect(feed.changes('backward', { before: 'now', wait: 1 })).rejects.toMatchObject({
      options: { field: 'wait' },
    });
    await expect(feed.changes('backward', { before: 'x' })).rejects.toMatchObject({
      options: { field: 'before' },
    });
  });

  it('are waited for, and come as lines', async () => {
    const writer = await feed.open({ table: 'waited', history: true });
    await feed.save(writer, [{ sku: 'a', price: 1 }]);
    const { cursor } = await feed.changes('waited');
    const waiting = feed.changes('waited', { after: cursor, wait: 30 });
    await feed.save(writer, [{ sku: 'a', price: 2 }], { second: 1 });
    expect((await waiting).changes.map(tell)).toEqual(['["changed","a",{"price":1},{"price":2}]']);
    const answer = await getChanges(feed.ctx, {
      ...none,
      params: { id: feed.id, table: 'waited' },
      query: { after: undefined, before: undefined, limit: 1, kinds: undefined, wait: 0, format: 'ndjson' },
    });
    if (!('stream' in answer)) throw new Error('no stream');
    const parts: string[] = [];
    for await (const part of answer.stream) parts.push(String(part));
    const lines = parts
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; cursor: string });
    expect(lines.map(({ kind }) => kind)).toEqual(['new', 'changed']);
    expect((await feed.changes('waited', { after: lines[0]?.cursor })).changes).toHaveLength(1);
  });
});

it.each(feeds.map((feed) => [feed.schema, feed] as const))(
  'old changes are removed, and cursors before them are gone: %s',
  async (_name, feed) => {
    const { db, log, external } = feed.ctx.services;
    const writer = await feed.open({ table: 'old', history: true });
    await feed.save(writer, []);
    const { cursor: begin } = await feed.changes('old');
    await feed.save(writer, [
      { sku: 'a', price: 1 },
      { sku: 'b', price: 1 },
    ]);
    const middle = await feed.changes('old', { limit: 1 });
    const { cursor: read } = await feed.changes('old');
    await feed.save(writer, [{ sku: 'a', price: 2 }], { second: 1 });
    const prune = async (): Promise<number> => {
      await feed.ownSql`UPDATE gleaner.feeds SET pruned_at = '-infinity' WHERE table_name = 'old'`;
      return pruneChanges({ db, log, external }, 30);
    };
    // What other tests left.
    await prune();
    expect(await prune()).toBe(0);
    await feed.sql.unsafe(
      `UPDATE "${feed.schema}"._gleaner_commits SET at = at - interval '31 days' WHERE position = 1`,
    );
    expect(await prune()).toBe(1);
    expect((await feed.changes('old')).changes.map(tell)).toEqual([
      '["changed","a",{"price":1},{"price":2}]',
    ]);
    for (const after of [begin, middle.cursor])
      await expect(feed.changes('old', { after })).rejects.toMatchObject({ code: 'cursor_expired' });
    const old = await feed.sql.unsafe(`SELECT count(*)::int AS n FROM "${feed.schema}"._gleaner_changes g
      JOIN "${feed.schema}"._gleaner_feeds f ON f.feed = g.feed WHERE f.table_name = 'old'`);
    expect(old).toEqual([{ n: 1 }]);
    for (let price = 3; price <= 12; price += 1)
      await feed.save(writer, [{ sku: 'a', price }], { second: price });
    await feed.sql.unsafe(
      `UPDATE "${feed.schema}"._gleaner_commits SET at = at - interval '31 days' WHERE position BETWEEN 2 AND 9`,
    );
    await prune();
    expect((await feed.changes('old')).changes.map(tell)).toEqual([
      '["changed","a",{"price":9},{"price":10}]',
      '["changed","a",{"price":10},{"price":11}]',
      '["changed","a",{"price":11},{"price":12}]',
    ]);
    // Its time is another since then, as after a restore.
    await expect(feed.changes('old', { after: read })).rejects.toMatchObject({ code: 'cursor_expired' });
    await feed.put('old', { history: false });
    expect(await prune()).toBe(3);
    expect(await feed.ownSql`SELECT FROM gleaner.feeds WHERE table_name = 'old'`).toEqual([]);
  },
);
