import { judgeRuns, writeReleased } from '@gleaner/core';
import { findViolations } from '@gleaner/core/find-violations';
import { createElsewhere, elsewhereServer } from '@gleaner/db/testing';
import { afterAll, expect, inject, it } from 'vitest';
import { openRuns } from '../testing/open-runs.ts';

const pages = new Map<string, object>();
const runs = await openRuns(pages);
const elsewhere = await createElsewhere();
const body = { name: 'theirs', kind: 'postgres', connection_url: elsewhere.url };
const { id: theirs } = await runs.call('createDatabase', { body });
const [{ name: theirSchema } = { name: '' }] = await elsewhere.db.sql<{ name: string }[]>`
  SELECT quote_ident(current_schema()) AS name`;

afterAll(async () => {
  expect(await findViolations(runs.services.db)).toEqual([]);
  await runs.close();
  await elsewhere.close();
});

/** Histories of each kind, and their steps. */
const [HISTORIES, STEPS] = inject('isLong') ? [6, 60] : [1, 12];
const SKUS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'] as const;
const PLACES = [0, 1, 2, 3, 4];
/** Two parsers write the table; each reads its own pages, and two pages are read by both. */
const READERS = { one: [0, 1, 2, 3], two: [2, 3, 4] } as const;
const SHARE = 0.5;
/** Where the judge dies. */
const FAULTS = ['none', 'commit', 'count', 'state', 'state'] as const;
const OLDEST_POSTGRES = 13;
const LATE_MS = 7_200_000;

/** Numbers from 0 to 1 that are the same for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Item {
  sku: string;
  price: number;
}
type Answer = { items: Item[] } | { status: number };

/** What a key should be. Times are steps. */
interface Known {
  price: number;
  fetched: number;
  url: string;
  run: string;
  seenBy: Set<string>;
  isGone: boolean;
}

/** Computes, without the service, the rows that the table should have and the changes that its feed should list. */
function createModel(missing: 'keep' | 'mark' | 'delete') {
  const rows = new Map<string, Known>();
  let expected: string[] = [];
  const write = (item: Item, from: { at: number; url: string; run: string; source?: string }): void => {
    const { at, url, run, source } = from;
    const seenBy = source === undefined ? [] : [source];
    const known = rows.get(item.sku);
    if (known && known.fetched > at) return;
    if (!known) expected.push(`new ${item.sku}`);
    else if (known.isGone) expected.push(`returned ${item.sku}`);
    else if (known.price !== item.price) expected.push(`changed ${item.sku}`);
    const kept = known && !(known.isGone && missing === 'delete') ? known.seenBy : [];
    rows.set(item.sku, {
      price: item.price,
      fetched: at,
      url,
      run,
      seenBy: new Set([...kept, ...seenBy]),
      isGone: false,
    });
  };
  /** The keys that a run shows as gone. */
  const lacking = (run: string, source: string, read: readonly string[], at: number): string[] =>
    [...rows].flatMap(([sku, row]) =>
      !row.isGone && row.seenBy.has(source) && row.run !== run && row.fetched < at && read.includes(row.url)
        ? [sku]
        : [],
    );
  return {
    write,
    lacking,
    known: (): string[] => [...rows.keys()],
    earlier: (source: string): number =>
      [...rows.values()].filter((row) => !row.isGone && row.seenBy.has(source)).length,
    remove: (skus: readonly string[], at: number): void => {
      for (const sku of skus) {
        const row = rows.get(sku);
        if (!row) continue;
        expected.push(`removed ${sku}`);
        rows.set(sku, { ...row, isGone: true, fetched: at });
      }
    },
    take: (): string[] => {
      const taken = expected.sort();
      expected = [];
      return taken;
    },
    there: (): [string, number][] =>
      [...rows].flatMap(([sku, row]) => (row.isGone ? [] : [[sku, row.price] as [string, number]])).sort(),
  };
}

type Sql = typeof runs.sql;

/** Lets steps of the judge fail at will, as a kill there does. @param changes where the table keeps its changes */
async function openFaults(their: Sql, changes: string): Promise<(fault: string) => Promise<void>> {
  const steps = [
    [their, 'commit', 'INSERT', `${changes}._gleaner_commits`],
    [runs.sql, 'count', 'UPDATE', 'gleaner.runs'],
    [runs.sql, 'state', 'DELETE OR UPDATE OF state', 'gleaner.run_judgements'],
  ] as const;
  for (const [sql, name, event, on] of steps)
    await sql.unsafe(`CREATE TABLE IF NOT EXISTS public.test_faults (name text);
      GRANT SELECT ON public.test_faults TO PUBLIC;
      CREATE OR REPLACE FUNCTION public.test_fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM public.test_faults f WHERE f.name = TG_ARGV[0]) THEN
          RAISE EXCEPTION 'killed' USING ERRCODE = 'serialization_failure';
        END IF;
        IF TG_OP = 'DELETE' THEN RETURN old; END IF;
        RETURN new;
      END $$;
      DROP TRIGGER IF EXISTS test_${name} ON ${on};
      CREATE TRIGGER test_${name} BEFORE ${event} ON ${on} FOR EACH ROW EXECUTE FUNCTION public.test_fault('${name}')`);
  return async (fault) => {
    for (const sql of [their, runs.sql])
      await sql.unsafe(`DELETE FROM public.test_faults; INSERT INTO public.test_faults VALUES ('${fault}')`);
  };
}

/** What somebody who follows the feed knows, and what it tells in one step. */
function followFeed(params: { id: string; table: string }) {
  const rows = new Map<string, number>();
  let cursor: string | undefined;
  let last = '';
  return {
    rows,
    read: async (): Promise<string[]> => {
      const query = { limit: 1_000, ...(cursor !== undefined && { after: cursor }) };
      const answer = await runs.call('getChanges', { params, query });
      cursor = String(answer['cursor']);
      const changes = answer['changes'] as {
        id: string;
        kind: string;
        key: { sku: string };
        row?: { price: number };
        before?: { price: number };
        after?: { price: number };
      }[];
      return changes
        .map(({ id, kind, key: { sku }, row, before, after }) => {
          expect(id > last).toBe(true);
          last = id;
          if (before) expect(before.price).toBe(rows.get(sku));
          if (kind === 'removed') rows.delete(sku);
          else rows.set(sku, (row ?? after)?.price ?? Number.NaN);
          return `${kind} ${sku}`;
        })
        .sort();
    },
  };
}

/** A site, its two crons, and what the table and the feed should be. */
async function openHistory(kind: 'managed' | 'external', missing: 'keep' | 'mark' | 'delete', seed: number) {
  const random = randomOf(seed);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];
  const [database, theirSql, schema] =
    kind === 'managed'
      ? [runs.database, runs.sql, `"${runs.database}"`]
      : [theirs, elsewhere.db.sql, theirSchema];
  const table = `site_${kind}_${missing}_${seed}`;
  const params = { id: database, table };
  const sink = runs.table(table, { database, missing, expect: { removed: SHARE } });
  const urlOf = (place: number | string): string => `http://${table}/${place}`;
  const schemaOf = { fields: { items: { css: '.i', take: 'all', fields: { sku: '.s', price: '.p' } } } };
  const { id: second } = await runs.call('createParser', { body: { name: table, schema: schemaOf } });
  const makeCron = async (name: keyof typeof READERS, target: object): Promise<string> => {
    const inputs = READERS[name].map((place) => ({ url: urlOf(place) }));
    const given = { name: `${table}_${name}`, description: '', schedule: '0 0 1 1 *', inputs, target, sink };
    return (await runs.call('createCron', { body: given })).id;
  };
  const crons = {
    one: await makeCron('one', runs.target),
    two: await makeCron('two', { type: 'parser', parserId: second }),
  };
  const model = createModel(missing);
  const feed = followFeed(params);
  let step = 0;
  let toldCount = 0;
  let site = new Map<number, Answer>();
  let setFault: ((fault: string) => Promise<void>) | undefined;

  /** The feed folds to the table, both are as they should be, and it told just what should be told. */
  const check = async (what: string): Promise<void> => {
    const told = await feed.read();
    toldCount += told.length;
    expect(told, `${step} ${what}`).toEqual(model.take());
    const rows = await theirSql.unsafe<{ row: Record<string, unknown> }[]>(
      `SELECT to_jsonb(t) AS row FROM ${schema}.${table} t`,
    );
    const there = rows
      .filter(({ row }) => (row['_removed_at'] ?? null) === null)
      .map(({ row }) => [String(row['sku']), Number(row['price'])]);
    expect(there.sort(), `${step} ${what}`).toEqual(model.there());
    expect([...feed.rows].sort(), `${step} ${what}`).toEqual(model.there());
  };
  /** Each key is on one page at most, so the order of pages within a run decides nothing. */
  const changeSite = (): void => {
    site = new Map(PLACES.map((place) => [place, { items: [] }]));
    for (const sku of SKUS) {
      const page = site.get(pick([0, 1, 2, 3, 4, 4, 9]));
      if (page && 'items' in page) page.items.push({ sku, price: pick([1, 2, 3]) });
    }
    for (const place of PLACES)
      if (step > 1 && random() < 0.3) site.set(place, { status: pick([404, 410, 500]) });
    for (const [place, page] of site)
      pages.set(
        urlOf(place),
        'items' in page
          ? page
          : {
              code: 'fetch_failed',
              detail: `the target answered with status ${page.status}`,
              retryable: false,
            },
      );
  };
  const judge = async (): Promise<void> => {
    await runs.sql`UPDATE gleaner.run_judgements SET due_at = now() - interval '1 second' WHERE state IN ('due', 'publishing')`;
    await judgeRuns(runs.services);
  };
  /** The judge dies in one of its steps, and begins again. */
  const judgeWithKill = async (skus: readonly string[]): Promise<void> => {
    const fault = pick(FAULTS);
    await setFault?.(fault);
    await judge();
    await setFault?.('none');
    if (fault !== 'commit') model.remove(skus, step);
    await check(`judged with ${fault}`);
    await judge();
    if (fault === 'commit') model.remove(skus, step);
    await check('judged');
  };
  const fire = async (name: keyof typeof READERS, holdsBack: boolean): Promise<void> => {
    const cron = crons[name];
    const { run_id: started } = await runs.call('triggerCron', { params: { id: cron } });
    const run = String(started);
    await runs.awaitEnd(run);
    const read = READERS[name].flatMap((place) => {
      const page = site.get(place);
      return page && ('items' in page || page.status < 500) ? [{ url: urlOf(place), page }] : [];
    });
    const lists = read.flatMap(({ url, page }) => ('items' in page ? [{ url, items: page.items }] : []));
    const items = lists.flatMap(({ url, items: given }) => given.map((item) => ({ url, item })));
    const before = new Set(model.known());
    for (const { url, item } of items) model.write(item, { at: step, url, run, source: cron });
    await check(`ran ${name}`);
    if (holdsBack) await hold(run);
    const urls = read.map(({ url }) => url);
    const skus = items.length === 0 || holdsBack ? [] : model.lacking(run, cron, urls, step);
    const made = items.filter(({ item }) => !before.has(item.sku)).length;
    const isHeld = missing !== 'keep' && skus.length > SHARE * (model.earlier(cron) - made);
    await judgeWithKill(missing === 'keep' || isHeld ? [] : skus);
    const { publication } = await runs.call('getBatch', { params: { id: run } });
    expect(publication, `${step} ${name}`).toBe(isHeld ? 'held' : 'none');
    if (isHeld) await decide(run, skus);
  };
  /** Somebody publishes or drops what waits, or leaves it to the next run. */
  const decide = async (run: string, skus: readonly string[]): Promise<void> => {
    const decision = pick(['publishRun', 'discardRun', 'none']);
    if (decision === 'none') return;
    await runs.call(decision, { params: { id: run } });
    await judgeWithKill(decision === 'publishRun' ? skus : []);
    const { publication } = await runs.call('getBatch', { params: { id: run } });
    expect(publication).toBe(decision === 'publishRun' ? 'published' : 'discarded');
  };
  /** A row of the run's first page is held back, and written later as of now. */
  let isReleased: (() => Promise<void>) | undefined;
  const hold = async (run: string): Promise<void> => {
    const item = { sku: pick(['a', 'b', 'm']), price: 9 };
    const [url, at] = [urlOf(0), step];
    await runs.sql`
      INSERT INTO gleaner.quarantined_rows (run_no, seq, account_id, parser_id, version, host, state, url, answer, reason, fetched_at)
      SELECT no, 0, account_id, 'prs_x', 1, 'x', 'held', ${url}, ${JSON.stringify({ items: [item] })}, 'odd', clock_timestamp()
      FROM gleaner.runs WHERE id = ${run}`;
    isReleased = async () => {
      await runs.call('releaseQuarantinedRows', { params: { id: run }, body: {} });
      await writeReleased(runs.services);
      model.write(item, { at, url, run });
      await check('released');
    };
  };
  /** A page that was fetched long ago is written now: a slow worker, or a kept page that is parsed again. */
  const writeLate = async (): Promise<void> => {
    const items = [...new Set([pick(SKUS), pick(SKUS), 'n'])].map((sku) => ({ sku, price: 7 }));
    pages.set(urlOf('late'), { items, ageMs: LATE_MS });
    const urls = [urlOf('late')];
    const { id } = await runs.call('createBatch', { body: { target: runs.target, urls, sink } });
    await runs.awaitEnd(id);
    for (const item of items) model.write(item, { at: step - LATE_MS, url: urlOf('late'), run: id });
    await judge();
    await check('wrote late');
  };
  /** @returns how many changes the step has told */
  return async (): Promise<number> => {
    step += 1;
    const before = toldCount;
    if (step === 1 || random() < 0.7) changeSite();
    const action = step === 1 ? 'one' : pick(['one', 'one', 'two', 'two', 'held', 'late', 'release']);
    if (action === 'one' || action === 'two') await fire(action, false);
    else if (action === 'held') await fire('one', true);
    else if (action === 'late') await writeLate();
    else {
      await isReleased?.();
      isReleased = undefined;
    }
    if (model.known().length > 0) setFault ??= await openFaults(theirSql, schema);
    return toldCount - before;
  };
}

const KINDS = [
  ['managed', 'keep'],
  ['managed', 'mark'],
  ['external', 'mark'],
  ['managed', 'delete'],
  ['external', 'delete'],
] as const;

it.each(
  Array.from({ length: HISTORIES * KINDS.length }, (_, place) => {
    const [kind, missing] = KINDS[place % KINDS.length] ?? KINDS[0];
    return [kind, missing, place + 1] as const;
  }),
)(
  'the feed of a site folds to its table, whatever happens: %s, %s, %i',
  async (kind, missing, seed) => {
    const next = await openHistory(kind, missing, seed);
    let told = 0;
    for (let step = 1; step <= STEPS; step += 1) told += await next();
    expect(told).toBeGreaterThan(STEPS);
  },
  inject('isLong') ? 900_000 : 300_000,
);

it.skipIf(elsewhereServer.isMissing)(
  'the external databases of these histories are of the oldest server that is promised',
  { meta: elsewhereServer.meta },
  async () => {
    const [server] = await elsewhere.db.sql<{ major: number }[]>`
      SELECT current_setting('server_version_num')::int / 10000 AS major`;
    expect(server?.major).toBe(OLDEST_POSTGRES);
  },
);
