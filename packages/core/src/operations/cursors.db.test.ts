import { AppError } from '@gleaner/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCursor } from '../platform/lists/page.ts';
import { createTestAccount } from '../testing/test-services.ts';
import type { OperationServices } from './operation-entry.ts';
import { operationTable } from './operation-table.ts';
import { callOnce, openTestDoor, valueOf } from './testing/test-calls.ts';

const URL = 'https://example.com/';

let services: OperationServices;
let close: () => Promise<void>;
let apiKey: string;
/** Ids of one resource of each kind, by the start of the paths below it. */
let ids: Readonly<Record<string, string>>;

async function create(id: string, body: unknown, params: Record<string, string> = {}): Promise<string> {
  return (valueOf(await callOnce(services, id, { apiKey }, { body, params })) as { id: string }).id;
}

beforeAll(async () => {
  ({ services, close } = await openTestDoor());
  ({ apiKey } = await createTestAccount(services));
  const parserId = await create('createParser', { name: 'p', schema: { fields: { title: 'h1' } } });
  const target = { type: 'parser', parserId };
  const workflow = await create('createWorkflow', { name: 'w', stages: [{ name: 'pages', target }] });
  ids = {
    '/v1/parsers': parserId,
    '/v1/batches': await create('createBatch', { target, urls: [URL] }),
    '/v1/workflows': workflow,
    '/v1/workflow-runs': await create('createWorkflowRun', { urls: [URL] }, { id: workflow }),
    '/v1/databases': await create('createDatabase', { name: 'd', kind: 'managed' }),
  };
});
afterAll(() => close());

const CURSORS = [
  'x',
  ...[
    ['a'],
    [1e30],
    [1.5],
    [-2],
    [null],
    [2_147_483_648],
    ['a', 1],
    [1, 1e30],
    [1.5, 2],
    [1, 'a'],
    [1, 2, 3],
  ].map((values) => Buffer.from(JSON.stringify(values)).toString('base64url')),
];

/** As a list has them that none here is. */
const FOREIGN = [['a'], [1], ['2026-01-01T00:00:00.000Z', 'a'], [0, 1]].map((values) =>
  encodeCursor('others', values),
);

const lists = operationTable
  .map(({ operation }) => operation)
  // The cursors of prebuilt APIs belong to their sites.
  .filter(({ tag, query }) => tag !== 'Prebuilt APIs' && query !== undefined && 'cursor' in query.shape);

test.each(lists.map(({ id, path }) => [id, path] as const))(
  '%s answers a cursor of another list, or refuses it by name',
  async (operationId, path) => {
    const [, id] = Object.entries(ids).find(([start]) => path.startsWith(`${start}/`)) ?? [];
    for (const cursor of [...CURSORS, ...FOREIGN]) {
      const params = {
        ...(path.includes('{id}') ? { id: id ?? 'none' } : {}),
        ...(path.includes('{table}') ? { table: 'none' } : {}),
      };
      const query = { cursor, ...(operationId === 'getRowHistory' ? { key: '{}' } : {}) };
      const called = await callOnce(services, operationId, { apiKey }, { params, query }).catch(
        (error: unknown) => error,
      );
      if (!(called instanceof Error)) {
        expect(FOREIGN).not.toContain(cursor);
        continue;
      }
      expect(called, cursor).toBeInstanceOf(AppError);
      const { code, options } = called as AppError;
      const isRefused = code === 'invalid_request' && options.field === 'cursor';
      // The workflow run of this test crawls nothing.
      const isForeign = operationId === 'listCrawlUrls';
      const isAbsent = code === 'not_found' && (id === undefined || isForeign || path.includes('{table}'));
      expect(isRefused || isAbsent, `${cursor}: ${called.message}`).toBe(true);
    }
  },
);
