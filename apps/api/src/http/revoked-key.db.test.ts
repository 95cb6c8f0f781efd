import { request } from 'node:http';
import { revokeKey } from '@gleaner/core';
import { createTestAccount, submitTestRun, testUrls } from '@gleaner/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestMcp, type TestMcp } from '../mcp/testing/test-mcp.ts';

let api: TestMcp;
beforeAll(async () => {
  api = await openTestMcp();
});
afterAll(() => api.close());

interface Answer {
  begun: Promise<void>;
  /** Reads its body. @returns how it ended: `whole`, `cut`, or its status when it never began */
  read: () => Promise<string>;
}

function ask(path: string, apiKey: string, message?: object): Answer {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  let resume = (): void => undefined;
  const headers = {
    'x-api-key': apiKey,
    ...(message && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
  };
  const sent = request(new URL(path, api.url), { method: message ? 'POST' : 'GET', headers }, (response) => {
    if (response.statusCode !== 200) ended.resolve(String(response.statusCode));
    response.once('end', () => ended.resolve('whole'));
    response.once('error', () => ended.resolve('cut'));
    resume = () => void response.resume();
    begun.resolve();
  });
  sent.once('error', () => ended.resolve('cut'));
  sent.end(message && JSON.stringify(message));
  return {
    begun: begun.promise,
    read: () => {
      resume();
      return ended.promise;
    },
  };
}

it('streams, unread exports and waits of a revoked key end though nobody calls again, and those of another key go on', async () => {
  const { services } = api;
  const { sql } = services.db;
  const { accountId, apiKey } = await createTestAccount(services, { credits: 1_000 });
  const other = await createTestAccount(services, { credits: 1_000 });
  const { id } = await submitTestRun(services, accountId, testUrls(200));
  const { id: othersId } = await submitTestRun(services, other.accountId, testUrls(2));
  // More than the buffers of the sockets take.
  await sql`INSERT INTO gleaner.results (run_no, seq, credits, attempts, ok, answer)
    SELECT r.no, s, 1, 1, true, jsonb_build_object('a', repeat('x', 100000))::text FROM gleaner.runs r, generate_series(0, 199) s WHERE r.id = ${id}`;
  const file = ask(`/v1/batches/${id}/export?format=ndjson`, apiKey);
  await file.begun;
  const events = ask(`/v1/batches/${id}/events`, apiKey);
  const others = ask(`/v1/batches/${othersId}/events`, other.apiKey);
  const waiting = ask('/mcp', apiKey, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'get_batch',
      arguments: { id, wait_seconds: 50 },
      // Its first notice begins the answer.
      _meta: { progressToken: 'wait' },
    },
  });
  await Promise.all([events.begun, others.begun, waiting.begun]);
  const othersEnd = others.read();
  const [key] = await sql<{ id: string }[]>`SELECT id FROM gleaner.api_keys WHERE account_id = ${accountId}`;
  await revokeKey(services.db, key?.id ?? '');
  expect(await events.read()).toBe('cut');
  expect(await waiting.read()).toBe('cut');
  // Nobody read it until now, and all of it is ready.
  expect(await file.read()).toBe('cut');
  expect(await Promise.race([othersEnd, Promise.resolve('open')])).toBe('open');
  // An account that is not active any more opens nothing either.
  await sql`UPDATE gleaner.accounts SET is_active = false WHERE id = ${other.accountId}`;
  expect(await othersEnd).toBe('cut');
});
