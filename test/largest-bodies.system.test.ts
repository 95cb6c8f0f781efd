import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '@gleaner/contracts';
import { operationTable } from '@gleaner/core';
import { createTestDatabase } from '@gleaner/db/testing';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { callApi, startSystem } from './system/start-system.ts';
import { until } from './system/until.ts';
import { watchMemory } from './system/watch-memory.ts';
import type { Watched } from './system/watch-answers.ts';
import { worstBodies, type WorstBody } from './worst-bodies.ts';

/** As Compose gives an API process: 1 GB, of which V8 takes half for its heap. */
const MEMORY_MB = 1_024;
const HEAP_MB = MEMORY_MB / 2;
/** How long another account may wait meanwhile: a second, and more where others use the machine too. */
const OTHERS_MS = inject('isLong') ? 1_000 : 120_000;
/** One body in this number is sent, of those for each field and kind: a prime number meets every kind. */
const EVERY = inject('isLong') ? 1 : 17;
/** Bodies of this size are sent some at a time. */
const SMALL_BYTES = 1_100_000;
const AT_ONCE = 5;

const MCP: Operation = {
  id: 'mcp',
  method: 'POST',
  path: '/mcp',
  tag: 'Catalogue',
  summary: '',
  auth: 'key',
  body: z.object({ params: z.record(z.string(), z.unknown()), method: z.string() }),
  bodyLimitBytes: 32 * 1024 * 1024,
  answer: { kind: 'empty', status: 204 },
  errors: [],
};

it('the worst body for each operation neither ends an API process of 1 GB nor delays other accounts', async () => {
  const database = await createTestDatabase();
  const system = await startSystem({
    databaseUrl: database.url,
    workers: 0,
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
  });
  const other = await system.client({ requestsPerMinute: 1_000_000 });
  const watched: Watched[] = [];
  const watcher = fork(join(import.meta.dirname, 'system/watch-answers.ts'), [system.baseUrl, other.apiKey]);
  watcher.on('message', (message) => void watched.push(message as Watched));
  try {
    using memory = watchMemory(system.api);
    const attacker = await system.client({ requestsPerMinute: 1_000_000 });
    const made = await attacker.call('POST', '/v1/parsers', {
      name: 'p',
      schema: { fields: { title: 'h1' } },
    });
    const { id: parser } = made.json as { id: string };
    const pid = system.api.pid();
    /** What the main thread of the API has computed so far. Unlike a wait, it doesn't grow with other work of the machine. */
    const computedMs = (): number =>
      Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    /** Sends a body, and says how long others waited at most because of it. */
    const send = async (operation: Operation, { name, contentType }: WorstBody, bytes: Buffer) => {
      const from = Date.now();
      const computedBefore = computedMs();
      const path = operation.path.replace(/\{\w+\}/, parser).replaceAll(/\{\w+\}/g, 'x');
      const { status, text } = await callApi(system.baseUrl, attacker.apiKey, {
        method: operation.method,
        path,
        body: bytes,
        init: { headers: { 'content-type': contentType }, signal: AbortSignal.timeout(300_000) },
      });
      expect(status, `${name}: ${text.slice(0, 300)}`).toBeLessThan(500);
      const ended = Date.now();
      await until('an answer after it', () => watched.some((answer) => answer.from >= ended));
      const computed = computedMs() - computedBefore;
      const during = watched.filter((answer) => answer.from + answer.ms >= from);
      expect(
        during.filter((answer) => answer.status !== 200),
        name,
      ).toEqual([]);
      return {
        name: `${name}, ${bytes.length} B, ${status}`,
        ms: Math.round(Math.min(computed, Math.max(...during.map(({ ms }) => ms)))),
      };
    };
    const sent: Awaited<ReturnType<typeof send>>[] = [];
    let place = 0;
    const operations = [MCP, ...operationTable.map(({ operation }): Operation => operation)];
    for (const operation of operations) {
      let small: Promise<unknown>[] = [];
      for (const body of worstBodies(operation, parser)) {
        place += 1;
        if (place % EVERY !== 0) continue;
        const bytes = body.make();
        const sending = send(operation, body, bytes).then((wait) => sent.push(wait));
        if (bytes.length > SMALL_BYTES) await sending;
        else small.push(sending);
        if (small.length === AT_ONCE) {
          await Promise.all(small);
          small = [];
        }
      }
      await Promise.all(small);
    }
    const worst = sent.sort((a, b) => b.ms - a.ms).slice(0, 8);
    console.log(
      `${sent.length} bodies: at most ${memory.peakMb().toFixed(0)} MB of memory; others wait ${worst.map(({ ms, name }) => `${ms} ms (${name})`).join(', ')}`,
    );
    expect(worst.filter(({ ms }) => ms > OTHERS_MS)).toEqual([]);
    expect(memory.peakMb()).toBeLessThan(MEMORY_MB);
    expect((await other.call('GET', '/v1/credits')).status).toBe(200);
    expect(system.output()).not.toContain('heap out of memory');
  } finally {
    watcher.kill();
    await system.stop();
    await database.close();
  }
}, 600_000);
