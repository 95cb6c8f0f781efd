import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import { OPERATOR_PASSWORD, type Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let site: Site;
let client: Client;

beforeAll(async () => {
  site = await startSite();
  client = await system.client();
});
afterAll(() => site.close());

async function post(path: string, body?: unknown): Promise<Record<string, string>> {
  const { status, json, text } = await client.call('POST', path, body);
  if (status >= 300) throw new Error(text);
  return json as Record<string, string>;
}

test('a due cron writes rows, the second firing updates them, and operators see it in the queue', async () => {
  const parser = await post('/v1/parsers', { name: 'p', schema: { fields: { title: 'h1' } } });
  const rows = await post('/v1/databases', { name: 'rows', kind: 'managed' });
  const cron = await post('/v1/crons', {
    name: 'kettles',
    description: '',
    // Not due by itself while the test runs.
    schedule: '0 0 1 1 *',
    url: `${site.url}/product`,
    target: { type: 'parser', parserId: parser.id, version: 1 },
    sink: { mode: 'database', database: rows.id, table: 'kettles' },
  });
  const succeeded = async (): Promise<number> => {
    const { json } = await client.call('GET', '/v1/batches?status=succeeded');
    return (json as { batches: unknown[] }).batches.length;
  };
  await system.db
    .sql`UPDATE gleaner.crons SET next_fire_at = clock_timestamp() + interval '1 second' WHERE id = ${cron.id ?? ''}`;
  await until('the firing’s batch succeeds', async () => (await succeeded()) === 1);
  await post(`/v1/crons/${cron.id}/trigger`);
  await until('the second batch succeeds', async () => (await succeeded()) === 2);
  const page = await client.call('GET', `/v1/databases/${rows.id}/tables/kettles/rows`);
  expect(page.json).toMatchObject({ rows: [{ title: 'Blue kettle' }], pagination: { has_more: false } });
  const { json } = await client.call('GET', `/v1/crons/${cron.id}/runs`);
  const { runs } = json as { runs: { cause: string; outcome: string }[] };
  expect(runs.map(({ cause, outcome }) => [cause, outcome])).toEqual([
    ['trigger', 'started'],
    ['schedule', 'started'],
  ]);
  const authorization = `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`;
  const board = await fetch(`${system.baseUrl}/admin/queues/api/queues?activeQueue=crons&status=delayed`, {
    headers: { authorization },
  });
  expect(board.status).toBe(200);
  expect(await board.text()).toContain(cron.id);
  const refused = await client.call('POST', '/v1/crons', {
    name: 'x',
    description: '',
    schedule: '0 0 30 2 *',
  });
  expect(refused).toMatchObject({ status: 400, json: { error: 'invalid request' } });
});
