import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startSite, type Site } from '../system/start-site.ts';
import type { Client } from '../system/start-system.ts';
import { until } from '../system/until.ts';
import { useSystem } from '../system/use-system.ts';

/** All calls of both accounts have this JSON-RPC id. */
const RPC_ID = 7;
const CALLS = inject('isLong') ? 1_000 : 300;
/** Calls of both accounts that are open at the same time. */
const AT_ONCE = 40;

/** What an account made over MCP. The other account has the same names, with its own word in every value. */
interface Tenant {
  client: Client;
  /** Appears in every answer of this account, and in none of the other one. */
  word: string;
  parserId: string;
  databaseId: string;
  batchId: string;
  tableBatchId: string;
  /** Made with an idempotency key that the other account uses too. */
  repeatedId: string;
}

const REPEATED = { name: 'repeated', kind: 'managed', idempotency_key: 'same' };

interface Answer {
  isError: boolean;
  text: string;
  result: Record<string, unknown>;
}

const system = useSystem();
let site: Site;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

async function use(client: Client, name: string, args: object): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: RPC_ID, method: 'tools/call', params: { name, arguments: args } };
  const { text } = await client.call('POST', '/mcp?tools=default,manage', body, {
    headers: { accept: 'application/json, text/event-stream' },
  });
  const message = JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text) as {
    id: number;
    result?: { isError?: boolean; structuredContent?: { result: Record<string, unknown> } };
  };
  expect(message, `${name}: ${text}`).toMatchObject({
    jsonrpc: '2.0',
    id: RPC_ID,
    result: expect.anything(),
  });
  const { isError = false, structuredContent } = message.result ?? {};
  return { isError, text, result: structuredContent?.result ?? {} };
}

async function make(client: Client, name: string, args: object): Promise<Record<string, unknown>> {
  const { isError, text, result } = await use(client, name, args);
  if (isError) throw new Error(`${name}: ${text}`);
  return result;
}

function schemaOf(word: string): object {
  return { fields: { [word]: 'h1' } };
}

async function makeTenant(word: string, credits: number): Promise<Tenant> {
  const client = await system.client({ credits, concurrency: 100, requestsPerMinute: 100_000 });
  const parser = await make(client, 'create_parser', { name: 'same', schema: schemaOf(word) });
  const parserId = String(parser.id);
  const target = { type: 'parser', parserId };
  const urls = [1, 2, 3].map((n) => `${site.url}/item?n=${n}&of=${word}`);
  const rows = await make(client, 'create_database', { name: 'same', kind: 'managed' });
  const databaseId = String(rows.id);
  const plain = await make(client, 'create_batch', { target, urls });
  const sink = { mode: 'database', database: databaseId, table: 'same' };
  const tableBatch = await make(client, 'create_batch', { target, urls, sink });
  const repeated = await make(client, 'create_database', REPEATED);
  const tenant = {
    client,
    word,
    parserId,
    databaseId,
    batchId: String(plain.id),
    tableBatchId: String(tableBatch.id),
    repeatedId: String(repeated.id),
  };
  for (const id of [tenant.batchId, tenant.tableBatchId])
    await until(
      `the batch of ${word} succeeds`,
      async () => (await make(client, 'get_batch', { id })).status === 'succeeded',
    );
  return tenant;
}

interface Check {
  tool: string;
  args(own: Tenant, index: number): object;
  /** What the answer holds. The account's own word or id is in each. */
  expected(own: Tenant, index: number, credits: number): object;
}

function pageOf({ word }: Tenant, index: number): string {
  return `<h1>${word} ${index}</h1>`;
}

const CHECKS: readonly Check[] = [
  {
    tool: 'get_credits',
    args: () => ({}),
    expected: (_own, _index, creditBalance) => ({ creditBalance }),
  },
  {
    tool: 'get_parser',
    args: ({ parserId }) => ({ id: parserId }),
    expected: ({ parserId, word }) => ({ id: parserId, name: 'same', schema: schemaOf(word) }),
  },
  {
    tool: 'list_parsers',
    args: () => ({}),
    expected: ({ parserId, word }) => ({ parsers: [{ id: parserId, name: 'same', fields: [word] }] }),
  },
  {
    tool: 'parse_html',
    args: (own, index) => ({ parserId: own.parserId, html: pageOf(own, index) }),
    expected: ({ word }, index) => ({ [word]: `${word} ${index}` }),
  },
  {
    tool: 'preview_parser',
    args: (own, index) => ({ schema: schemaOf(own.word), html: pageOf(own, index), explain: true }),
    expected: ({ word }, index) => ({ data: { [word]: `${word} ${index}` } }),
  },
  {
    tool: 'get_batch',
    args: ({ batchId }) => ({ id: batchId, wait_seconds: 1 }),
    expected: ({ batchId, parserId }) => ({ id: batchId, status: 'succeeded', target: { parserId } }),
  },
  {
    tool: 'get_batch_results',
    args: ({ batchId }) => ({ id: batchId }),
    expected: ({ word }) => ({
      results: [1, 2, 3].map((n) => ({
        url: `${site.url}/item?n=${n}&of=${word}`,
        data: { [word]: `Item ${n}` },
      })),
    }),
  },
  {
    tool: 'list_databases',
    args: () => ({}),
    expected: ({ repeatedId, databaseId }) => ({
      databases: [{ id: repeatedId }, { id: databaseId, name: 'same' }],
    }),
  },
  {
    tool: 'query_rows',
    args: ({ databaseId }) => ({ id: databaseId, table: 'same' }),
    expected: ({ word }) => ({ rows: [{ [word]: expect.stringMatching(/^Item \d$/) }, {}, {}] }),
  },
  {
    tool: 'create_database',
    args: () => REPEATED,
    expected: ({ repeatedId }) => ({ id: repeatedId, name: 'repeated' }),
  },
];

test(`${CALLS} calls of two accounts with the same ids and names never mix`, async () => {
  const credits = [5_111, 6_222];
  const tenants = await Promise.all([makeTenant('alder', 5_117), makeTenant('birch', 6_228)]);
  const counts = new Map<string, number>();

  const callOne = async (index: number): Promise<void> => {
    const side = index % 2;
    const [own, other] = side === 0 ? tenants : tenants.toReversed();
    const check = CHECKS[Math.floor(index / 2) % CHECKS.length];
    if (own === undefined || other === undefined || check === undefined) throw new Error('no such call');
    const { isError, text, result } = await use(own.client, check.tool, check.args(own, index));
    expect(isError, text).toBe(false);
    expect(result, check.tool).toMatchObject(check.expected(own, index, credits[side] ?? 0));
    for (const foreign of [
      other.word,
      other.parserId,
      other.databaseId,
      other.batchId,
      other.tableBatchId,
      other.repeatedId,
      other.client.accountId,
    ])
      expect(text).not.toContain(foreign);
    counts.set(`${own.word} ${check.tool}`, (counts.get(`${own.word} ${check.tool}`) ?? 0) + 1);
  };

  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < CALLS) {
        next += 1;
        await callOne(next - 1);
      }
    }),
  );
  expect([...counts.values()]).toEqual(
    Array.from({ length: 2 * CHECKS.length }, () => CALLS / 2 / CHECKS.length),
  );

  // An id of the other account is unknown, whatever the tool.
  const [alder, birch] = tenants;
  for (const { tool, args } of CHECKS.filter((check) =>
    Object.values(check.args(birch, 0)).some((value) => /^(?:prs|bat|db)_/.test(String(value))),
  )) {
    const { isError, text } = await use(alder.client, tool, args(birch, 0));
    expect(isError, `${tool}: ${text}`).toBe(true);
    expect(text).toContain('not found');
  }
});
