import { setTimeout as delay } from 'node:timers/promises';
import { beat, HEARTBEAT_MS } from '@gleaner/core';
import { createTestAccount, createTestParser, submitTestRun, testUrls } from '@gleaner/core/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestMcp, REVISIONS, type TestMcp } from './testing/test-mcp.ts';

let mcp: TestMcp;
let account: { accountId: string; apiKey: string };

beforeAll(async () => {
  mcp = await openTestMcp();
  account = await createTestAccount(mcp.services);
});
afterAll(() => mcp.close());

interface Reported {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

describe.each(REVISIONS)('a client of revision %s', (revision) => {
  test('waits for a batch and sees how far it is', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const { id } = await submitTestRun(mcp.services, account.accountId, testUrls(3));
    const reported: Reported[] = [];
    const waiting = client.callTool(
      { name: 'get_batch', arguments: { id, wait_seconds: 50 } },
      {
        onprogress: (progress) => {
          reported.push(progress);
          if (reported.length > 1) return;
          // No worker runs here: the end of the batch is its cancellation, which the waiting call has to notice.
          void fetch(new URL(`/v1/batches/${id}/cancel`, mcp.url), {
            method: 'POST',
            headers: { 'x-api-key': account.apiKey },
          });
        },
      },
    );
    const { structuredContent } = await waiting;
    expect(structuredContent).toMatchObject({ result: { id, status: 'cancelled' } });
    expect(reported).toMatchObject([
      { progress: 0, total: 3, message: '0 of 3 succeeded, 0 failed' },
      { progress: 3, total: 3 },
    ]);
  });

  test('gets the state when the time is over before its call was admitted', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const { id } = await submitTestRun(mcp.services, account.accountId, testUrls(1));
    const { rateLimiter } = mcp.services;
    const consume = rateLimiter.consume.bind(rateLimiter);
    const slow = vi.spyOn(rateLimiter, 'consume').mockImplementation(async (...limit) => {
      await delay(1_100);
      return consume(...limit);
    });
    const answer = await client.callTool({ name: 'get_batch', arguments: { id, wait_seconds: 1 } });
    slow.mockRestore();
    expect(answer).toMatchObject({ structuredContent: { result: { id, status: 'pending' } } });
  });

  test('gets the state when the time is over, and no notification without a token', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const { id } = await submitTestRun(mcp.services, account.accountId, testUrls(1));
    const startedAt = performance.now();
    const { structuredContent } = await client.callTool({
      name: 'get_batch',
      arguments: { id, wait_seconds: 1 },
    });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(structuredContent).toMatchObject({
      result: { status: expect.stringMatching(/pending|running/) },
      next_step: expect.stringContaining('wait_seconds'),
    });
  });

  test('sees that a page is waited for', async () => {
    const client = await mcp.connect(account.apiKey, { revision });
    const parserId = await createTestParser(mcp.services, account.accountId);
    const leaving = new AbortController();
    // A worker that is alive and takes no work, so that the page never comes.
    const heartbeat = { workerId: 'wrk_idle', engines: ['http'], refuses: null } as const;
    await beat(mcp.services.db, heartbeat);
    const beating = setInterval(() => void beat(mcp.services.db, heartbeat), HEARTBEAT_MS);
    const reported: Reported[] = [];
    const call = client.callTool(
      { name: 'scrape', arguments: { parserId, url: 'http://a.test/' } },
      {
        signal: leaving.signal,
        onprogress: (progress) => {
          reported.push(progress);
          if (reported.length === 2) leaving.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    clearInterval(beating);
    expect(reported[0]).toMatchObject({ progress: 0, message: 'Waiting for the page.' });
    expect(reported[1]?.progress).toBeGreaterThanOrEqual(5);
  });
});

test('what a wait can’t do is said', async () => {
  const client = await mcp.connect(account.apiKey);
  const calls: [string, Record<string, unknown>, string][] = [
    ['get_batch', { id: 'bat_none', wait_seconds: 5 }, 'not found'],
    ['get_batch', { id: 'bat_none', wait_seconds: 51 }, 'from 0 to 50'],
    ['get_credits', { wait_seconds: 5 }, 'does not wait'],
  ];
  for (const [name, args, text] of calls) {
    const { isError, content } = await client.callTool({ name, arguments: args });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(text);
  }
});
