import { ENGINE } from '@gleaner/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOnce, openTestDoor, refusalOf, valueOf } from '../operations/testing/test-calls.ts';
import { createRunCache } from '../runs/submission/run-cache.ts';
import { createTestParser } from '../testing/submit-services.ts';
import { createTestAccount } from '../testing/test-services.ts';

const { services, close } = await openTestDoor();
afterAll(close);

let apiKey: string;
let accountId: string;
let list: string;
let item: string;
let database: string;

beforeAll(async () => {
  ({ accountId, apiKey } = await createTestAccount(services, { credits: 100 }));
  list = await createTestParser(services, accountId, [
    {
      fields: {
        title: 'h1',
        count: { css: 'i', type: 'integer' },
        next: { css: 'a@href', type: 'url' },
        items: { css: 'li', take: 'all', fields: { url: { css: 'a@href', type: 'url' } } },
      },
    },
  ]);
  item = await createTestParser(services, accountId, [{ fields: { name: 'h1' } }]);
  const created = await callOnce(
    services,
    'createDatabase',
    { apiKey },
    { body: { name: 'd', kind: 'managed' } },
  );
  database = (valueOf(created) as { id: string }).id;
});

function parser(parserId: string) {
  return { type: 'parser', parserId };
}
function first(more: object = {}) {
  return { name: 'list', target: parser(list), ...more };
}
function second(more: object = {}) {
  return { name: 'details', target: parser(item), from: { path: '$.items[*].url' }, ...more };
}
function sink(more: object = {}) {
  return { mode: 'database', database, table: 't', ...more };
}
function create(stages: unknown[], more: object = {}) {
  return callOnce(services, 'createWorkflow', { apiKey }, { body: { name: 'w', stages, ...more } });
}

it.each<[string, () => unknown[], string, string]>([
  [
    'a circle',
    () => [
      first(),
      second({ from: [{ path: '$.items[*].url' }, { stage: 'third', path: '$.x' }] }),
      { name: 'third', target: parser(list), from: { stage: 'details', path: '$.name' } },
    ],
    'stages[1].from[1].stage',
    'details ← third ← details',
  ],
  [
    'a later stage',
    () => [
      first(),
      second({ from: { stage: 'third', path: '$.x' } }),
      { name: 'third', target: parser(list), from: { stage: 'list', path: '$.next' } },
    ],
    'stages[1].from.stage',
    'comes later',
  ],
  [
    'an unknown stage',
    () => [first(), second({ from: { stage: 'none', path: '$.x' } })],
    'stages[1].from.stage',
    'there is no stage none: there are list, details',
  ],
  [
    'a name twice',
    () => [first(), second({ name: 'list' })],
    'stages[1].name',
    'is the name of stages[0] too',
  ],
  ['no inputs', () => [first(), second({ from: undefined })], 'stages[1].from', 'is missing'],
  [
    'its own results alone',
    () => [first(), second({ from: { stage: 'details', path: '$.name' } })],
    'stages[1].from',
    'would never begin',
  ],
  [
    'a path that finds nothing',
    () => [first(), second({ from: { path: '$.items[*].href' } })],
    'stages[1].from.path',
    'there are url',
  ],
  ['a path that is none', () => [first(), second({ from: { path: 'items' } })], 'stages[1].from.path', ''],
  [
    'a path to a number',
    () => [first(), second({ from: { path: '$.count' } })],
    'stages[1].from.path',
    'finds integer, and a parser takes URLs',
  ],
  [
    'a filter',
    () => [first(), second({ from: { path: '$.items[?@.url].url' } })],
    'stages[1].from.path',
    'filters are not allowed',
  ],
  [
    'an unknown parser',
    () => [first(), second({ target: parser('prs_none') })],
    'stages[1].target.parserId',
    '',
  ],
  [
    'an unknown version',
    () => [first({ target: { ...parser(list), version: 7 } })],
    'stages[0].target.version',
    'has no version 7',
  ],
  ['an unknown API', () => [first({ target: { type: 'api', id: 'none' } })], 'stages[0].target.id', ''],
  [
    'an unknown database',
    () => [first({ sink: sink({ database: 'db_none' }) })],
    'stages[0].sink.database',
    '',
  ],
  [
    'rows that are no list',
    () => [first({ sink: sink({ rows: 'title' }) })],
    'stages[0].sink.rows',
    'is not a list',
  ],
  [
    'a carried stage that is no ancestor',
    () => [first({ sink: sink({ carry: { x: '$.stages.details.name' } }) }), second()],
    'stages[0].sink.carry.x',
    'no result of list comes from stage details',
  ],
  [
    'a carried field that is none',
    () => [first(), second({ sink: sink({ carry: { x: '$.stages.list.none' } }) })],
    'stages[1].sink.carry.x',
    'there are title',
  ],
  [
    'a carried column that is there',
    () => [first(), second({ sink: sink({ carry: { name: '$.stages.list.title' } }) })],
    'stages[1].sink.carry.name',
    'already',
  ],
  [
    'an API without `as`',
    () => [first(), second({ target: { type: 'api', id: 'videosite-video' } })],
    'stages[1].from.path',
    'takes objects',
  ],
  [
    'an unknown parameter',
    () => [
      first(),
      second({
        target: { type: 'api', id: 'videosite-video' },
        from: { path: '$.items[*].url', as: 'none' },
      }),
    ],
    'stages[1].from.as',
    'has no parameter none',
  ],
])('refuses %s with its exact place', async (_, stages, field, detail) => {
  const refusal = await refusalOf(create(stages()));
  expect(refusal.options.field).toBe(field);
  expect(refusal.options.detail ?? '').toContain(detail);
});

it('refuses a sink that its table can’t take when it is made, changed and tried', async () => {
  const { sql } = services.db;
  await sql.unsafe(`CREATE VIEW "${database}".shown AS SELECT 1 AS name;
    CREATE TABLE "${database}".made (_url text PRIMARY KEY, name text GENERATED ALWAYS AS ('x') STORED);
    CREATE TABLE "${database}".full_of (_url text PRIMARY KEY, name text, color text NOT NULL);
    CREATE TABLE "${database}".typed (_url text PRIMARY KEY, name text);`);
  const of = (more: object) => [{ name: 'one', target: parser(item), sink: sink(more) }];
  const refused: [object, string][] = [
    [{ table: 'shown' }, 'stages[0].sink.table'],
    [{ table: 'made' }, 'stages[0].sink.table'],
    [{ table: 'full_of' }, 'stages[0].sink.table'],
    [{ table: 'typed', types: { name: 'varchar(9)' } }, 'stages[0].sink.types.name'],
  ];
  const { id } = valueOf(await create(of({ table: 'absent' }))) as { id: string };
  const params = { id };
  for (const [more, field] of refused) {
    const stages = of(more);
    expect((await refusalOf(create(stages))).options.field).toBe(field);
    const put = callOnce(services, 'updateWorkflow', { apiKey }, { params, body: { stages } });
    expect((await refusalOf(put)).options.field).toBe(field);
  }
  const tried = { params, body: { urls: ['http://a.test/'], dry_run: true } };
  expect(valueOf(await callOnce(services, 'createWorkflowRun', { apiKey }, tried))).toMatchObject({
    inputs: 1,
  });
  await sql.unsafe(`CREATE VIEW "${database}".absent AS SELECT 1 AS name`);
  const refusal = await refusalOf(callOnce(services, 'createWorkflowRun', { apiKey }, tried));
  expect(refusal.options.field).toBe('stages[0].sink.table');
  await callOnce(services, 'deleteWorkflow', { apiKey }, { params });
});

it('keeps versions, leaves runs alone, and lists newest first', async () => {
  const stages = [
    first({ from: { stage: 'list', path: '$.next' } }),
    second({ target: { type: 'api', id: 'videosite-video' }, from: { path: '$.items[*].url', as: 'url' } }),
  ];
  const made = valueOf(await create(stages, { limits: { credits: 50 } })) as { id: string; version: number };
  expect(made).toMatchObject({
    version: 1,
    stages: [{ name: 'list' }, { name: 'details' }],
    limits: { credits: 50 },
  });
  const { id } = made;
  const run = valueOf(
    await callOnce(
      services,
      'createWorkflowRun',
      { apiKey },
      { params: { id }, body: { urls: ['http://a.test/', 'http://a.test/'] } },
    ),
  );
  // The first stage's inputs are taken once each.
  expect(run).toMatchObject({
    workflow_id: id,
    workflow_version: 1,
    status: 'pending',
    counts: { total: 1 },
    stages: [{ duplicates: 1 }, { duplicates: 0 }],
    credits: { reserved: 1 },
  });
  const put = (body: object) => callOnce(services, 'updateWorkflow', { apiKey }, { params: { id }, body });
  expect(valueOf(await put({ name: 'same', stages }))).toMatchObject({ version: 1, name: 'same' });
  expect(valueOf(await put({ stages: [first()] }))).toMatchObject({ version: 2, limits: { credits: 50 } });
  const runId = (run as { id: string }).id;
  const read = valueOf(await callOnce(services, 'getWorkflowRun', { apiKey }, { params: { id: runId } }));
  expect(read).toMatchObject({ workflow_version: 1, stages: [{ name: 'list' }, { name: 'details' }] });
  const all = valueOf(await callOnce(services, 'listWorkflows', { apiKey }, {}));
  expect(all).toMatchObject({ workflows: [{ id }], pagination: { has_more: false } });
  expect((await refusalOf(callOnce(services, 'deleteWorkflow', { apiKey }, { params: { id } }))).code).toBe(
    'in_use',
  );
  await callOnce(services, 'cancelWorkflowRun', { apiKey }, { params: { id: runId } });
  await callOnce(services, 'deleteWorkflow', { apiKey }, { params: { id } });
  expect(valueOf(await callOnce(services, 'listWorkflowRuns', { apiKey }, {}))).toMatchObject({
    workflow_runs: [{ id: runId, status: 'cancelled', credits: { reserved: 0 } }],
  });
});

it('another account finds nothing', async () => {
  const made = valueOf(await create([first()])) as { id: string };
  const other = await createTestAccount(services, {});
  for (const operation of ['getWorkflow', 'deleteWorkflow', 'listRunsOfWorkflow'])
    expect((await refusalOf(callOnce(services, operation, other, { params: { id: made.id } }))).code).toBe(
      'not_found',
    );
  for (const operation of [
    'getWorkflowRun',
    'cancelWorkflowRun',
    'retryWorkflowRun',
    'getWorkflowRunFailures',
  ])
    expect((await refusalOf(callOnce(services, operation, other, { params: { id: 'run_x' } }))).code).toBe(
      'not_found',
    );
});

it('a run that the account can’t pay is refused, and bad inputs are named', async () => {
  const made = valueOf(await create([first()])) as { id: string };
  const start = (body: object) =>
    refusalOf(callOnce(services, 'createWorkflowRun', { apiKey }, { params: { id: made.id }, body }));
  const urls = Array.from({ length: 200 }, (_, n) => `http://a.test/${n}`);
  expect(await start({ urls })).toMatchObject({
    code: 'insufficient_credits',
    options: { members: { required: 200 } },
  });
  expect(await start({ urls: ['x'] })).toMatchObject({
    code: 'invalid_request',
    options: { field: 'urls[0]' },
  });
  expect(await start({})).toMatchObject({ code: 'invalid_request', options: { field: 'urls' } });
});

it('headers of a stage are stored encrypted until it ends, and the run can’t be retried after that', async () => {
  const made = valueOf(await create([first({ scrape_config: { headers: { 'X-Token': 'hush!' } } })])) as {
    id: string;
  };
  const run = valueOf(
    await callOnce(
      services,
      'createWorkflowRun',
      { apiKey },
      { params: { id: made.id }, body: { urls: ['http://a.test/'] } },
    ),
  ) as { id: string };
  const { sql } = services.db;
  const [row] = await sql<{ no: string; config: string }[]>`
    SELECT no::text, config::text FROM gleaner.runs WHERE id = ${`${run.id}/list`}`;
  expect(row?.config).toContain('sealed');
  expect(row?.config).not.toContain('hush!');
  expect(await createRunCache(services.db, services.config.secretKey).load(row?.no ?? '')).toMatchObject({
    config: { headers: { 'X-Token': 'hush!' } },
  });
  await sql`UPDATE gleaner.runs SET state = 'failed', finished_at = now(), carved = total, failed = total
    WHERE id IN (${run.id}, ${`${run.id}/list`})`;
  const refusal = await refusalOf(
    callOnce(services, 'retryWorkflowRun', { apiKey }, { params: { id: run.id } }),
  );
  expect(refusal).toMatchObject({
    code: 'already_finished',
    options: { detail: expect.stringContaining('list') },
  });
  // Its stages leave with it.
  await sql`UPDATE gleaner.runs SET finished_at = now() - interval '100 days' WHERE id = ${run.id}`;
  await sql`SELECT ${sql(ENGINE)}.remove_runs(now() - interval '50 days', 100)`;
  expect(await sql`SELECT 1 FROM gleaner.runs WHERE id LIKE ${`${run.id}%`}`).toHaveLength(0);
  expect(await sql`SELECT 1 FROM gleaner.workflow_runs WHERE id = ${run.id}`).toHaveLength(0);
  expect(await sql`SELECT 1 FROM gleaner.stages WHERE run_no = ${row?.no ?? ''}`).toHaveLength(0);
});

it('gives crawls of new workflows the newest rule of addresses, and leaves that of a saved one that does not change', async () => {
  const crawl = (more: object = {}): object => ({
    name: 'site',
    crawl: { scope: 'host', ...more },
    routes: [{ name: 'items', match: '/*', target: parser(item), sink: sink() }],
  });
  const addressesOf = (record: unknown): unknown =>
    (record as { stages: { crawl: { addresses?: number } }[] }).stages[0]?.crawl.addresses;
  const created = valueOf(await create([crawl()])) as { id: string; version: number };
  expect(addressesOf(created)).toBe(2);
  expect(addressesOf(valueOf(await create([crawl({ addresses: 1 })])))).toBe(1);

  const { id } = created;
  const update = async (body: object): Promise<unknown> =>
    valueOf(await callOnce(services, 'updateWorkflow', { apiKey }, { params: { id }, body }));
  // As it was saved before crawls had a rule.
  await services.db.sql`
    UPDATE gleaner.workflows SET definition = definition #- '{stages,0,crawl,addresses}' WHERE id = ${id}`;
  expect(addressesOf(await update({ name: 'x' }))).toBeUndefined();
  expect(addressesOf(await update({ limits: { credits: 10 } }))).toBeUndefined();
  expect(addressesOf(await update({ stages: [crawl()] }))).toBeUndefined();
  expect(addressesOf(await update({ stages: [crawl({ depth: 3 })] }))).toBe(2);
});
