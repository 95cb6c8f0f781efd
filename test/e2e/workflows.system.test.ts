import { eitherBackend, createTestDatabase, type TestDatabase } from '@gleaner/db/testing';
import { findViolations } from '@gleaner/core/find-violations';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import {
  OPERATOR_PASSWORD,
  startSystem,
  type Answer,
  type Client,
  type System,
} from '../system/start-system.ts';
import { until } from '../system/until.ts';

const LIST = {
  fields: {
    heading: 'h1',
    next: { css: 'a.next@href', type: 'url' },
    items: {
      css: 'li',
      take: 'all',
      fields: { url: { css: 'a@href', type: 'url' }, price: { css: 'b', type: 'number' } },
    },
  },
};
const ITEM = { fields: { name: { css: 'h1', required: true }, stock: '.stock' } };

interface Run {
  id: string;
  status: string;
  counts: { total: number; succeeded: number; failed: number };
  stages: { name: string; status: string; duplicates: number; over_limit: number; counts: Run['counts'] }[];
  credits: { reserved: number; used: number };
}

function idOf({ status, json, text }: Answer): string {
  if (status !== 201) throw new Error(text);
  return (json as { id: string }).id;
}

eitherBackend('workflows', 'postgres', (backend) => {
  let database: TestDatabase;
  let system: System;
  let site: Site;
  let client: Client;
  let stages: Record<string, unknown>[];
  let databaseId: string;

  beforeAll(async () => {
    [database, site] = await Promise.all([createTestDatabase(), startSite()]);
    system = await startSystem({ databaseUrl: database.url, redisUrl: backend.redisUrl });
    client = await system.client({ credits: 10_000, concurrency: 8 });
    const list = idOf(await client.call('POST', '/v1/parsers', { name: 'list', schema: LIST }));
    const item = idOf(await client.call('POST', '/v1/parsers', { name: 'item', schema: ITEM }));
    databaseId = idOf(await client.call('POST', '/v1/databases', { name: 'shop', kind: 'managed' }));
    stages = [
      {
        name: 'list',
        target: { type: 'parser', parserId: list },
        from: { stage: 'list', path: '$.next' },
        limit: 50,
      },
      {
        name: 'details',
        target: { type: 'parser', parserId: item },
        from: { stage: 'list', path: '$.items[*].url' },
        sink: {
          mode: 'database',
          database: databaseId,
          table: 'items',
          carry: { page: '$.stages.list.heading', price: '$.stages.list.items[*].price' },
        },
      },
    ];
  });
  afterAll(async () => {
    await system.stop();
    await Promise.all([site.close(), database.close()]);
  });

  async function ended(id: string): Promise<Run> {
    let run: Run | undefined;
    await until('the workflow run ends', async () => {
      run = (await client.call('GET', `/v1/workflow-runs/${id}`)).json as Run;
      return !['pending', 'running'].includes(run.status);
    });
    if (!run) throw new Error('no run');
    return run;
  }

  async function readItems(table = 'items'): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    let cursor: string | null = null;
    do {
      const { json } = await client.call(
        'GET',
        `/v1/databases/${databaseId}/tables/${table}/rows?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      const page = json as { rows: Record<string, unknown>[]; pagination: { cursor: string | null } };
      found.push(...page.rows);
      ({ cursor } = page.pagination);
    } while (cursor !== null);
    return found;
  }

  test('a list with next links gives details, whose rows hold what the list said; a second run updates them', async () => {
    const workflowId = idOf(await client.call('POST', '/v1/workflows', { name: 'shop', stages }));
    const urls = [`${site.url}/shop?page=1&pages=4`];
    expect(
      (await client.call('POST', `/v1/workflows/${workflowId}/runs`, { urls, dry_run: true })).json,
    ).toMatchObject({
      dry_run: true,
      inputs: 1,
      credits: { most: 1 },
    });
    const created = await client.call('POST', `/v1/workflows/${workflowId}/runs`, { urls });
    expect(created.status, created.text).toBe(202);
    const run = await ended((created.json as Run).id);
    expect(run).toMatchObject({
      status: 'succeeded',
      counts: { total: 36, succeeded: 36, failed: 0 },
      credits: { reserved: 0, used: 36 },
      stages: [
        { name: 'list', status: 'succeeded', counts: { total: 4 } },
        { name: 'details', status: 'succeeded', counts: { total: 32 } },
      ],
    });
    const rows = await readItems();
    expect(rows).toHaveLength(32);
    for (const row of rows) {
      const n = Number(/n=(\d+)$/.exec(String(row['_url']))?.[1]);
      expect(row).toMatchObject({
        name: `Item ${n}`,
        page: `Page ${Math.floor(n / 8) + 1}`,
        price: n + 0.5,
        _run_id: run.id,
      });
    }
    const again = await client.call('POST', `/v1/workflows/${workflowId}/runs`, { urls });
    const second = await ended((again.json as Run).id);
    expect(await readItems()).toHaveLength(32);
    const { json } = await client.call('GET', `/v1/workflows/${workflowId}/runs`);
    expect((json as { workflow_runs: Run[] }).workflow_runs.map(({ id }) => id)).toEqual([second.id, run.id]);
    const events = await client.call('GET', `/v1/workflow-runs/${run.id}/events`);
    expect(events.text).toMatch(/^id: succeeded-0-36-0-0\nevent: finished\ndata: /);
    // A parser, a database and a workflow in use can't be deleted.
    const inUse = { status: 409, json: { error: 'in use', detail: expect.stringContaining(workflowId) } };
    expect(await client.call('DELETE', `/v1/databases/${databaseId}`)).toMatchObject(inUse);
    const { parserId } = (stages[0] as { target: { parserId: string } }).target;
    expect(await client.call('DELETE', `/v1/parsers/${parserId}`)).toMatchObject(inUse);
    expect((await client.call('DELETE', `/v1/workflows/${workflowId}`)).status).toBe(204);
  });

  test('kill -9 of a worker across the stages loses and doubles nothing', async () => {
    const workflowId = idOf(await client.call('POST', '/v1/workflows', { name: 'killed', stages }));
    const urls = [`${site.url}/shop?page=1&pages=9`];
    const created = await client.call('POST', `/v1/workflows/${workflowId}/runs`, { urls });
    const { id } = created.json as Run;
    for (const least of [15, 40]) {
      await until('work is under way', async () => {
        const run = (await client.call('GET', `/v1/workflow-runs/${id}`)).json as Run;
        return run.counts.succeeded >= least || run.status === 'succeeded';
      });
      await system.workers.shift()?.kill();
      await system.addWorker();
    }
    const run = await ended(id);
    expect(run).toMatchObject({
      status: 'succeeded',
      counts: { total: 81, succeeded: 81, failed: 0 },
      credits: { reserved: 0, used: 81 },
    });
    expect((await readItems()).filter((row) => row['_run_id'] === id)).toHaveLength(72);
    expect(await findViolations(database.db)).toEqual([]);
  });

  /** The jobs of one queue, as the operator's board shows them. */
  async function readBoard(queue: string, status: string): Promise<{ data: object }[]> {
    const authorization = `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`;
    const answer = await fetch(
      `${system.baseUrl}/admin/queues/api/queues?activeQueue=${queue}&status=${status}&jobsPerPage=100`,
      { headers: { authorization } },
    );
    expect(answer.status).toBe(200);
    const { queues } = (await answer.json()) as { queues: { name: string; jobs: { data: object }[] }[] };
    return queues.find(({ name }) => name === queue)?.jobs ?? [];
  }

  test('a cron runs it: the second firing updates rows, though scheduler and worker are killed', async () => {
    const [list, details] = stages as [object, { sink: object }];
    const workflowId = idOf(
      await client.call('POST', '/v1/workflows', {
        name: 'once an hour',
        stages: [list, { ...details, sink: { ...details.sink, table: 'scheduled' } }],
      }),
    );
    const created = await client.call('POST', '/v1/crons', {
      name: 'shop',
      description: '',
      // Half an hour from now, so that only this test makes it due.
      schedule: `${(new Date().getUTCMinutes() + 30) % 60} * * * *`,
      url: `${site.url}/shop?page=1&pages=5`,
      target: { type: 'workflow', workflowId },
    });
    const cronId = idOf(created);
    expect(await client.call('DELETE', `/v1/workflows/${workflowId}`)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining(cronId) },
    });
    const listFirings = async (): Promise<{ outcome: string; run_id: string }[]> => {
      const { json } = await client.call('GET', `/v1/crons/${cronId}/runs`);
      return (json as { runs: { outcome: string; run_id: string }[] }).runs;
    };
    const fire = async (count: number): Promise<string> => {
      await database.db
        .sql`UPDATE gleaner.crons SET next_fire_at = clock_timestamp() + interval '1 second' WHERE id = ${cronId}`;
      await system.scheduler.kill();
      await delay(1_500);
      await system.scheduler.restart();
      await until('the cron fires', async () => (await listFirings()).length === count);
      const [firing] = await listFirings();
      expect(firing).toMatchObject({ outcome: 'started', run_id: expect.stringMatching(/^run_/) });
      return firing?.run_id ?? '';
    };

    const first = await fire(1);
    // One stream of progress over the whole run, during which its worker dies.
    const watching = client.call('GET', `/v1/workflow-runs/${first}/events`);
    await until(
      'details are under way',
      async () =>
        ((await client.call('GET', `/v1/workflow-runs/${first}`)).json as Run).counts.succeeded >= 12,
    );
    await system.workers.shift()?.kill();
    await system.addWorker();
    const whole = { status: 'succeeded', counts: { total: 45, succeeded: 45 }, credits: { used: 45 } };
    expect(await ended(first)).toMatchObject(whole);
    const { text } = await watching;
    expect(text).toContain('event: progress');
    expect(text.match(/event: finished/g)).toHaveLength(1);
    expect(await readItems('scheduled')).toHaveLength(40);

    const second = await fire(2);
    expect(await ended(second)).toMatchObject(whole);
    const rows = await readItems('scheduled');
    expect(rows).toHaveLength(40);
    expect(new Set(rows.map((row) => row['_run_id']))).toEqual(new Set([second]));

    const { json } = await client.call('POST', `/v1/databases/${databaseId}/credentials`);
    const reader = postgres((json as { connection_url: string }).connection_url, { max: 1 });
    const [counted] = await reader<{ rows: number }[]>`SELECT count(*)::int AS rows FROM scheduled`;
    await reader.end();
    expect(counted).toEqual({ rows: 40 });

    // The repeatable job with its firings, and jobs with the chunks of both stages.
    expect(JSON.stringify(await readBoard('crons', 'delayed'))).toContain(cronId);
    await until('the jobs with the chunks of both stages ended', async () => {
      const jobs = (await readBoard('batch-http', 'completed')) as {
        data: { chunks?: { run: string; range: string }[] };
      }[];
      const chunks = jobs.flatMap(({ data }) => data.chunks ?? []);
      return ['list', 'details'].every((stage) =>
        chunks.some(({ run, range }) => run === `${second}/${stage}` && /^[0-9]+-[0-9]+$/.test(range)),
      );
    });
    expect(await findViolations(database.db)).toEqual([]);
  });

  test('a cancelled run stops, and gives its credits back', async () => {
    const workflowId = idOf(await client.call('POST', '/v1/workflows', { name: 'cancelled', stages }));
    const urls = [`${site.url}/shop?page=1&pages=30`];
    const created = await client.call('POST', `/v1/workflows/${workflowId}/runs`, { urls });
    const { id } = created.json as Run;
    const deleted = await client.call('DELETE', `/v1/workflows/${workflowId}`);
    expect(deleted).toMatchObject({ status: 409, json: { detail: expect.stringContaining(id) } });
    const cancelled = await client.call('POST', `/v1/workflow-runs/${id}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, json: { status: 'cancelled', credits: { reserved: 0 } } });
    expect((await client.call('POST', `/v1/workflow-runs/${id}/cancel`)).status).toBe(409);
    expect(await client.call('GET', `/v1/workflow-runs/${id}/failures`)).toMatchObject({
      status: 200,
      json: { failures: [] },
    });
  });
});
