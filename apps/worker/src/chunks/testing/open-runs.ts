import { setTimeout as delay } from 'node:timers/promises';
import type { StoredError } from '@gleaner/contracts';
import type { RelativeValues, TaskOutcome } from '@gleaner/core';
import { callOnce, createChunkSweeper, createTestAccount, openTestDoor } from '@gleaner/core/testing';
import { createSinkOpener } from '../running/sinks.ts';
import { startWorker } from './chunk-harness.ts';

export interface Called {
  id: string;
  [name: string]: unknown;
}

/**
 * An account with a worker in this process that reads pages of a test, each an answer or an error. Its parser gives `items` of
 * `sku`, `price`, `next`, `seen` and `reviews`.
 */
export async function openRuns(pages: ReadonlyMap<string, object>) {
  const { services, close } = await openTestDoor();
  const { sql } = services.db;
  const { apiKey } = await createTestAccount(services, { credits: 10_000, concurrency: 20 });
  const behave = async (input: string): Promise<TaskOutcome> => {
    const page = pages.get(input) ?? { code: 'upstream_error', detail: 'no such page', retryable: false };
    if ('code' in page) return { ok: false, error: page as StoredError };
    const { relative, ageMs = 0, ...data } = page as { relative?: RelativeValues; ageMs?: number };
    const answer = JSON.stringify(data);
    return {
      ok: true,
      answer,
      finalUrl: input,
      httpStatus: 200,
      fetchedAt: new Date(Date.now() - ageMs).toISOString(),
      bytes: 9,
      relative,
    };
  };
  const worker = await startWorker(services, behave, { openSink: createSinkOpener(services) });
  const call = async (operation: string, input: object = {}): Promise<Called> => {
    const { answer } = await callOnce(services, operation, { apiKey }, input);
    if (answer.kind === 'json-text') return JSON.parse(answer.jsonText) as Called;
    if (answer.kind === 'json') return answer.value as Called;
    throw new Error(`an answer of the kind ${answer.kind}`);
  };
  const fields = {
    items: {
      css: '.item',
      take: 'all',
      fields: {
        sku: '.sku',
        price: { css: '.price', type: 'number' },
        next: '.next',
        seen: { css: '.seen', type: 'datetime' },
        reviews: { css: '.review', take: 'all', fields: { name: 'b', at: { css: 'i', type: 'datetime' } } },
      },
    },
  };
  const parserId = (await call('createParser', { body: { name: 'p', schema: { fields } } })).id;
  const database = (await call('createDatabase', { body: { name: 'd', kind: 'managed' } })).id;
  const sweep = createChunkSweeper(services);
  const awaitEnd = async (id: string): Promise<void> => {
    const until = Date.now() + 120_000;
    for (;;) {
      const [run] = await sql<{ state: string }[]>`SELECT state FROM gleaner.runs WHERE id = ${id}`;
      if (run && !['pending', 'running'].includes(run.state)) return;
      if (Date.now() > until) throw new Error(`${id} has not ended`);
      await sweep();
      await delay(30);
    }
  };
  return {
    services,
    sql,
    call,
    awaitEnd,
    database,
    target: { type: 'parser', parserId },
    table: (name: string, more: object = {}) => ({
      mode: 'database',
      database,
      table: name,
      rows: 'items',
      key: ['sku'],
      history: true,
      ...more,
    }),
    changes: async (name: string): Promise<{ kind: string; key: { sku: string }; run_id: string }[]> => {
      const { changes } = await call('getChanges', {
        params: { id: database, table: name },
        query: { limit: 1_000 },
      });
      return changes as { kind: string; key: { sku: string }; run_id: string }[];
    },
    close: async (): Promise<void> => {
      await worker.stop();
      await close();
    },
  };
}
