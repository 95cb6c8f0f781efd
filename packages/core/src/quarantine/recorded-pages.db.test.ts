import type { Field } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { checkSchema, compileParser, extract, noteValues, READER, type Page } from '@gleaner/extractors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBaselines } from '../parsers/health/baselines.ts';
import { type HealthDelta, judgePage, makeDeltas } from '@gleaner/learn/drift';
import { listAlarms } from '../parsers/health/read-health.ts';
import { createTestParser } from '../testing/submit-services.ts';
import { submitTestRun } from '../testing/submit-test-run.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../testing/test-services.ts';
import { rollUpHealth } from './roll-up-health.ts';

let opened: TestServices;
let accountId: string;
beforeAll(async () => {
  opened = await openTestServices();
  ({ accountId } = await createTestAccount(opened.services));
});
afterAll(() => opened.close());

interface Recorded {
  field: Field;
  body: string | Buffer;
  contentType?: string;
  /** What the first reader gave. */
  before: unknown;
  /** What this one gives. */
  now: unknown;
}

const russian =
  '<html lang="ru"><h1>Лампы для кухни и сада</h1><p>Все лампы этого магазина дешевле, чем у других.</p>';
const inWindows1251 = Buffer.from(
  Array.from(russian, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code >= 0x410 && code <= 0x44f ? code - 0x350 : code;
  }),
);
const number = { css: '.n', type: 'number', assert: { on_fail: 'null' } } as const;

/** Pages that the first reader read otherwise. */
const RECORDED: Record<string, Recorded> = {
  'a number with the words of its language': {
    field: number,
    body: '<html lang="ja"><p class="n">1万2,800円',
    before: 2_800,
    now: 12_800,
  },
  'a number that may be two': { field: number, body: '<p class="n">4/5 of all buyers', before: 4, now: null },
  'a length in two units': {
    field: number,
    body: '<html lang="en"><p class="n">5 ft 2 in',
    before: 5,
    now: null,
  },
  'an encoding that is not declared': {
    field: 'h1',
    body: inWindows1251,
    contentType: 'text/html',
    before: 'Ëàìïû äëÿ êóõíè è ñàäà',
    now: 'Лампы для кухни и сада',
  },
  'a link of a feed': {
    field: 'item link',
    body: '<?xml version="1.0"?><rss><channel><item><link>https://s.example/1</link></item></channel></rss>',
    contentType: 'text/xml',
    before: null,
    now: 'https://s.example/1',
  },
  'a mark in a feed': {
    field: 'item title',
    body: '<?xml version="1.0"?><rss><channel><item><title><![CDATA[Lamp & shade]]></title></item></channel></rss>',
    contentType: 'text/xml',
    before: '<![CDATA[Lamp & shade]]>',
    now: 'Lamp & shade',
  },
  'a picture that comes later': {
    field: { css: 'img', type: 'url' },
    body: '<img src="/blank.gif" data-src="/lamp.jpg">',
    before: 'https://a.example/blank.gif',
    now: 'https://a.example/lamp.jpg',
  },
  'a table with a list in a cell': {
    field: { css: 'main', type: 'markdown' },
    body: '<main><table><tr><th>Size</th><th>Colours</th></tr><tr><td>10<sup>6</sup></td><td><ul><li>red</li><li>blue</li></ul></td></tr></table></main>',
    before: 'Size\n\nColours\n\n106\n\n- red\n- blue',
    now: '| Size | Colours |\n| --- | --- |\n| 10⁶ | red blue |',
  },
};

const HOST = 'a.example';

function readNow({ field, body, contentType = 'text/html; charset=utf-8' }: Recorded) {
  const check = checkSchema({ fields: { value: field } });
  if (!check.ok) throw new Error(JSON.stringify(check.faults));
  const page: Page = { body: Buffer.from(body), contentType, url: `https://${HOST}/1`, composed: false };
  return extract(compileParser(check.schema), page);
}

/** The reports of what the first reader gave. */
function asBefore({ before }: Recorded) {
  const isFilled = before !== null;
  const fields = [{ path: 'value', matched: isFilled, value_count: isFilled ? 1 : 0, selector: null }];
  return noteValues({ data: { value: before }, fields });
}

async function write(parserId: string, deltas: readonly HealthDelta[]): Promise<void> {
  const { sql } = opened.services.db;
  const notes = JSON.stringify({ parserId, version: 1, deltas, held: [] });
  await sql`SELECT ${sql(ENGINE)}.note_pages(ARRAY[ROW(${accountId}, 1, ${notes}::text::jsonb)::${sql(ENGINE)}.page_notes])`;
  await rollUpHealth(opened.services);
}

describe('after an update, pages that are read otherwise', () => {
  it.each(Object.entries(RECORDED))('hold no row, raise no alarm and end no run: %s', async (_, recorded) => {
    const { services } = opened;
    const { sql } = services.db;
    const parserId = await createTestParser(services, accountId, [{ fields: { value: recorded.field } }]);
    const page = { host: HOST, url: `https://${HOST}/1`, error: undefined };
    // As the release before wrote: without the name of a reader.
    const old = Array.from({ length: 100 }, (_page, seq) => ({
      ...page,
      seq,
      fields: asBefore(recorded),
      baseline: undefined,
    }));
    const unnamed = makeDeltas('bat_old', old).map(({ reader: _reader, ...delta }) => delta);
    await write(parserId, unnamed);
    await sql`UPDATE gleaner.parser_health SET stats = stats - 'reader' WHERE parser_id = ${parserId}`;
    const target = { type: 'parser' as const, parserId, version: 1 };
    const sink = {
      mode: 'database' as const,
      database: 'db_1',
      table: 'lamps',
      contract: 'evolve' as const,
      nulls: 'keep' as const,
      on_drift: 'pause' as const,
    };
    const run = await submitTestRun(services, accountId, [page.url], { target, sink });

    const extraction = readNow(recorded);
    expect(extraction).toMatchObject({ ok: true, data: { value: recorded.now } });
    const fields = noteValues(extraction);
    const baselines = createBaselines(services.db);
    const key = { parserId, version: 1, host: HOST };
    for (let round = 0; round < 3; round += 1) {
      const { baseline } = await baselines.read(key, performance.now());
      const seen = Array.from({ length: 20 }, (_page, seq) => ({ ...page, seq, fields, baseline }));
      expect(judgePage({ ...page, seq: 0, fields, baseline }).suspicion).toBeUndefined();
      await write(parserId, makeDeltas('bat_new', seen));
    }

    const [health] = await sql<{ state: string; pages: number; reader: number }[]>`
      SELECT state, pages::int AS pages, (stats ->> 'reader')::int AS reader FROM gleaner.parser_health
      WHERE parser_id = ${parserId}`;
    expect(health).toEqual({ state: 'healthy', pages: 60, reader: READER });
    const [after] = await sql<{ state: string }[]>`SELECT state FROM gleaner.runs WHERE id = ${run.id}`;
    expect(after?.state).toBe('pending');
    const none = { params: undefined, query: undefined, body: undefined, upload: undefined, headers: {} };
    expect(await listAlarms(testContext(services, accountId), none)).toEqual({ alarms: [] });
  });

  it('would be held if what was learned of them counted still', async () => {
    const { services } = opened;
    const parserId = await createTestParser(services, accountId);
    const recorded = RECORDED['a number that may be two'];
    if (recorded === undefined) throw new Error('no such page');
    const page = { host: HOST, url: `https://${HOST}/1`, error: undefined };
    const old = Array.from({ length: 100 }, (_, seq) => ({
      ...page,
      seq,
      fields: asBefore(recorded),
      baseline: undefined,
    }));
    await write(parserId, makeDeltas('bat_old', old));
    const key = { parserId, version: 1, host: HOST };
    const { baseline } = await createBaselines(services.db).read(key, performance.now());
    const fields = noteValues(readNow(recorded));
    expect(judgePage({ ...page, seq: 0, fields, baseline }).suspicion).toBe('no value for value');
  });
});
