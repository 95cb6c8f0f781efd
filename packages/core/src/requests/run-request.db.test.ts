import { setTimeout as delay } from 'node:timers/promises';
import type { QueueBackend } from '@gleaner/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createId } from '../ids.ts';
import {
  createTestAccount,
  openTestServices,
  testContext,
  type TestServices,
} from '../testing/test-services.ts';
import { openAnswerInbox, type AnswerInbox } from './answer-inbox.ts';
import { runRequest } from './run-request.ts';

let opened: TestServices;
let answers: AnswerInbox;

beforeAll(async () => {
  opened = await openTestServices();
  answers = await openAnswerInbox(opened.services);
});
afterAll(async () => {
  await answers.close();
  await opened.close();
});

it('a client that goes away before its request is delivered harms nobody, and pays nothing', async () => {
  const { services } = opened;
  const { accountId } = await createTestAccount(services, { credits: 100 });
  const controller = new AbortController();
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  /** The queue takes its time, and meanwhile the client is gone. */
  const queue: QueueBackend = {
    ...services.queue,
    deliver: async (deliveries) => {
      controller.abort();
      await delay(50);
      await services.queue.deliver(deliveries);
    },
  };
  const ctx = {
    ...testContext(services, accountId),
    services: { ...services, queue, answers },
    signal: controller.signal,
  };
  const spec = {
    target: { type: 'parser', parserId: createId('parser'), version: 1 },
    input: { url: 'http://a.test/' },
    config: {},
  } as const;
  await expect(runRequest(ctx, spec)).rejects.toMatchObject({ options: { detail: 'the client went away' } });
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  const [row] = await services.db.sql`SELECT balance, reserved FROM gleaner.accounts WHERE id = ${accountId}`;
  expect(row).toEqual({ balance: '100', reserved: '0' });
});
