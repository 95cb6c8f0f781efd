import { createTestDatabase, eitherBackend, type TestDatabase } from '@gleaner/db/testing';
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

const SCHEMA = { fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'number' } } };

interface Batch {
  id: string;
  status: string;
  mode: string;
  counts: Record<'total' | 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled', number>;
  credits: { reserved: number; used: number };
  expires_at: string | null;
}

/** Waits for something and gives it. */
async function found<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let value: T | undefined;
  await until(what, async () => {
    value = await look();
    return value !== undefined;
  });
  if (value === undefined) throw new Error(what);
  return value;
}

function asBatch(answer: Answer): Batch {
  return answer.json as Batch;
}

eitherBackend('batches', 'redis', (backend) => {
  let database: TestDatabase;
  let system: System;
  let site: Site;
  let client: Client;
  let parserId: string;

  beforeAll(async () => {
    [database, site] = await Promise.all([createTestDatabase(), startSite()]);
    system = await startSystem({ databaseUrl: database.url, redisUrl: backend.redisUrl });
    client = await system.client({ credits: 10_000 });
    const { json } = await client.call('POST', '/v1/parsers', { name: 'product', schema: SCHEMA });
    parserId = (json as { id: string }).id;
  });
  afterAll(async () => {
    await system.stop();
    await Promise.all([site.close(), database.close()]);
  });

  const target = () => ({ type: 'parser', parserId });
  const page = (index: number): string => `${site.url}/product?n=${index}`;
  /** Reads the events of a batch. */
  const watch = async (id: string, headers: Record<string, string> = {}) => {
    const { body } = await fetch(`${system.baseUrl}/v1/batches/${id}/events`, {
      headers: { 'x-api-key': client.apiKey, ...headers },
    });
    const chunks = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      text: () => text,
      until: async (part: string): Promise<void> => {
        while (!text.includes(part)) {
          const chunk = await chunks?.read();
          if (!chunk || chunk.done) throw new Error(`the events ended without ${part}: ${text}`);
          text += chunk.value;
        }
      },
    };
  };
  const ended = (id: string): Promise<Batch> =>
    found('the batch ends', async () => {
      const batch = asBatch(await client.call('GET', `/v1/batches/${id}`));
      const { total, pending, running, succeeded, failed, cancelled } = batch.counts;
      expect(pending + running + succeeded + failed + cancelled).toBe(total);
      return ['pending', 'running'].includes(batch.status) ? undefined : batch;
    });

  test('a batch runs, its results are in input order, and only successes are charged', async () => {
    const urls = Array.from({ length: 230 }, (_, index) =>
      index % 23 === 5 ? `${site.url}/missing?n=${index}` : page(index),
    );
    const created = await client.call('POST', '/v1/batches', { name: 'mine', target: target(), urls });
    expect(created.status).toBe(202);
    expect(asBatch(created)).toMatchObject({ name: 'mine', mode: 'return', counts: { total: 230 } });
    const batch = await ended(asBatch(created).id);
    expect(batch).toMatchObject({ status: 'succeeded', counts: { succeeded: 220, failed: 10, pending: 0 } });
    expect(batch.credits).toEqual({ reserved: 0, used: 220 });

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const path = `/v1/batches/${batch.id}/results?limit=90${cursor === undefined ? '' : `&cursor=${cursor}`}`;
      const answer = (await client.call('GET', path)).json as {
        results: { url: string; data: { title: string } }[];
        cursor?: string;
      };
      seen.push(...answer.results.map((result) => result.url));
      expect(answer.results[0]?.data.title).toBe('Blue kettle');
      ({ cursor } = answer);
    } while (cursor !== undefined);
    expect(seen).toEqual(urls.filter((url) => !url.includes('/missing')));

    const failures = (await client.call('GET', `/v1/batches/${batch.id}/failures`)).json;
    expect(failures).toMatchObject({
      causes: [{ count: 10, error: 'fetch failed' }],
      failures: expect.arrayContaining([expect.objectContaining({ error: 'fetch failed', attempts: 1 })]),
    });
    const ndjson = await client.call('GET', `/v1/batches/${batch.id}/export?format=ndjson`);
    expect(ndjson.text.trimEnd().split('\n')).toHaveLength(220);
    const csv = await client.call('GET', `/v1/batches/${batch.id}/export?format=csv`);
    expect(csv.text.split('\n')[0]).toBe('url,title,price');
    expect(csv.text.trimEnd().split('\n')).toHaveLength(221);

    const stream = await client.call('GET', `/v1/batches/${batch.id}/events`);
    expect(stream.text).toMatch(/^id: succeeded-0-220-10-0\nevent: finished\ndata: /);
  });

  test('uploads of NDJSON and CSV are read and deduplicated, and faults name the line', async () => {
    const upload = (file: string, type: string, fields: Record<string, string> = {}): Promise<Answer> => {
      const form = new FormData();
      form.append('target', JSON.stringify(target()));
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([file], { type }), type === 'text/csv' ? 'a.csv' : 'a.ndjson');
      return client.call('POST', '/v1/batches', form);
    };
    const lines = [JSON.stringify(page(1)), page(2), JSON.stringify({ url: page(3) }), '', page(1)].join(
      '\n',
    );
    const all = await upload(lines, 'application/x-ndjson');
    expect(asBatch(all).counts.total).toBe(4);
    const once = await upload(lines, 'application/x-ndjson', { dedupe: 'true' });
    expect(asBatch(once).counts.total).toBe(3);
    const csv = await upload(`name,url\r\na,${page(1)}\r\n"b, c",${page(2)}\r\n`, 'text/csv');
    expect(asBatch(csv).counts.total).toBe(2);
    expect(await upload(`${page(1)}\nnonsense\n`, 'application/x-ndjson')).toMatchObject({
      status: 400,
      json: { field: 'file', detail: 'line 2 is not an absolute URL' },
    });
    const dry = await upload(`${page(1)}\nnonsense\n${page(1)}\n`, 'application/x-ndjson', {
      dry_run: 'true',
      dedupe: 'true',
    });
    expect(dry.status).toBe(200);
    expect(dry.json).toMatchObject({
      dry_run: true,
      inputs: 1,
      duplicates: 1,
      refused_count: 1,
      refused: [{ index: 1, input: 'nonsense', detail: 'line 2 is not an absolute URL' }],
      credits: { least: 0, most: 1 },
    });
    const rest = await upload(`${page(1)}\nnonsense\n`, 'application/x-ndjson', { skip_invalid: 'true' });
    expect(rest).toMatchObject({
      status: 202,
      json: {
        counts: { total: 1 },
        refused_count: 1,
        refused: [{ index: 1, input: 'nonsense', detail: 'line 2 is not an absolute URL' }],
      },
    });
    expect(await upload('nonsense\n', 'application/x-ndjson', { skip_invalid: 'true' })).toMatchObject({
      status: 400,
      json: { field: 'file', detail: 'no input is valid; the first: line 1 is not an absolute URL' },
    });
    for (const answer of [all, once, csv, rest]) await ended(asBatch(answer).id);
  });

  test('a batch is refused as a whole: credits, pending limit, a budget below one price', async () => {
    const poor = await system.client({ credits: 5, pendingLimit: 8 });
    const { json } = await poor.call('POST', '/v1/parsers', { name: 'p', schema: SCHEMA });
    const own = { type: 'parser', parserId: (json as { id: string }).id };
    const urls = (count: number): string[] => Array.from({ length: count }, (_, index) => page(index));
    expect(await poor.call('POST', '/v1/batches', { target: own, urls: urls(6) })).toMatchObject({
      status: 402,
      json: { error: 'insufficient credits', required: 6, available: 5 },
    });
    expect(await poor.call('POST', '/v1/batches', { target: own, urls: urls(9) })).toMatchObject({
      status: 400,
      json: { error: 'invalid request', field: 'inputs' },
    });
    expect(
      await poor.call('POST', '/v1/batches', { target: own, urls: urls(6), max_credits: 3 }),
    ).toMatchObject({ status: 202 });
    expect(
      await poor.call('POST', '/v1/batches', {
        target: own,
        urls: urls(1),
        scrape_config: { useBrowser: true },
        max_credits: 3,
      }),
    ).toMatchObject({ status: 400, json: { field: 'max_credits' } });
    expect(await poor.call('POST', '/v1/batches', { target: target(), urls: urls(1) })).toMatchObject({
      status: 404,
    });
    expect(await poor.call('POST', '/v1/batches', { target: own, urls: [page(1), 'x'] })).toMatchObject({
      status: 400,
      json: { field: 'urls[1]' },
    });
    expect(await poor.call('POST', '/v1/batches', { target: own, urls: [] })).toMatchObject({ status: 400 });
  });

  test('no inputs of a refused batch stay', async () => {
    const poor = await system.client({ credits: 5 });
    const { json } = await poor.call('POST', '/v1/parsers', { name: 'p', schema: SCHEMA });
    const own = { type: 'parser', parserId: (json as { id: string }).id };
    const upload = (lines: readonly string[]): Promise<Answer> => {
      const form = new FormData();
      form.append('target', JSON.stringify(own));
      form.append('file', new Blob([lines.join('\n')], { type: 'application/x-ndjson' }), 'a.ndjson');
      return poor.call('POST', '/v1/batches', form);
    };
    const lines = Array.from({ length: 30_000 }, (_, index) => page(index));
    expect(await upload(lines)).toMatchObject({ status: 402, json: { required: 30_000, available: 5 } });
    expect(await upload([...lines, 'nonsense'])).toMatchObject({
      status: 400,
      json: { detail: 'line 30001 is not an absolute URL' },
    });
    await until('the inputs are gone', async () => {
      const left = await database.db.sql`
        SELECT 1 FROM gleaner.tasks t WHERE NOT EXISTS (SELECT FROM gleaner.runs r WHERE r.no = t.run_no) LIMIT 1`;
      return left.length === 0;
    });
  });

  test('the same Idempotency-Key creates one batch', async () => {
    const send = () =>
      client.call(
        'POST',
        '/v1/batches',
        { target: target(), urls: [page(1)] },
        { headers: { 'idempotency-key': `k-${backend.kind}` } },
      );
    const [first, second] = await Promise.all([send(), send()]);
    expect(asBatch(first).id).toBe(asBatch(second).id);
    await ended(asBatch(first).id);
  });

  test('cancelling ends a batch immediately and keeps its results', async () => {
    const urls = Array.from({ length: 200 }, (_, index) => `${site.url}/slow?ms=3000&n=${index}`);
    const created = asBatch(await client.call('POST', '/v1/batches', { target: target(), urls }));
    await found('tasks run', async () => {
      const { counts } = asBatch(await client.call('GET', `/v1/batches/${created.id}`));
      return counts.running > 0 ? counts : undefined;
    });
    const cancelled = await client.call('POST', `/v1/batches/${created.id}/cancel`);
    expect(asBatch(cancelled)).toMatchObject({
      status: 'cancelled',
      counts: { running: 0, pending: 0 },
      credits: { reserved: 0 },
    });
    expect(await client.call('POST', `/v1/batches/${created.id}/cancel`)).toMatchObject({
      status: 409,
      json: { error: 'already finished' },
    });
    const next = await client.call('POST', '/v1/jobs', { target: target(), url: page(1) });
    expect(next.status).toBe(202);
    const { id } = next.json as { id: string };
    const job = await found('the job succeeds', async () => {
      const { json } = await client.call('GET', `/v1/jobs/${id}`);
      return (json as { status: string }).status === 'succeeded' ? json : undefined;
    });
    expect(job).toMatchObject({
      result: { title: 'Blue kettle' },
      attempts: 1,
      credits_used: 1,
      error: null,
      url: page(1),
    });
  });

  test('a failed job reports the reason and is free, and a batch’s failures can run again', async () => {
    const { json } = await client.call('POST', '/v1/jobs', {
      target: target(),
      url: `${site.url}/missing`,
    });
    const { id } = json as { id: string };
    const job = await found('the job fails', async () => {
      const answer = (await client.call('GET', `/v1/jobs/${id}`)).json as { status: string };
      return answer.status === 'failed' ? answer : undefined;
    });
    expect(job).toMatchObject({ error: { error: 'fetch failed' }, result: null, credits_used: 0 });

    const created = asBatch(
      await client.call('POST', '/v1/batches', {
        target: target(),
        urls: [page(1), `${site.url}/missing`],
      }),
    );
    expect((await ended(created.id)).counts).toMatchObject({ succeeded: 1, failed: 1 });
    const release = site.hold('/missing');
    const again = await client.call('POST', `/v1/batches/${created.id}/retry`);
    expect(again).toMatchObject({
      status: 202,
      json: { status: 'running', counts: { total: 2, failed: 0 } },
    });
    release();
    expect(await ended(created.id)).toMatchObject({
      status: 'succeeded',
      counts: { succeeded: 1, failed: 1 },
      credits: { reserved: 0, used: 1 },
    });
  });

  test('Bull Board shows which chunks a job runs, their progress and failures, also after its end', async () => {
    const missing = `${site.url}/missing?seen=by-operator`;
    const created = asBatch(
      await client.call('POST', '/v1/batches', { target: target(), urls: [page(1), missing] }),
    );
    await ended(created.id);
    const authorization = `Basic ${Buffer.from(`operator:${OPERATOR_PASSWORD}`).toString('base64')}`;
    const look = async (path: string): Promise<unknown> =>
      (await fetch(`${system.baseUrl}/admin/queues/api${path}`, { headers: { authorization } })).json();
    type Shown = {
      id: string;
      progress: object;
      data: { chunks?: { account: string; run: string; range: string }[] };
    };
    const jobs = await found('the chunks ended', async () => {
      const { queues } = (await look('/queues?activeQueue=batch-http&status=completed')) as {
        queues: { name: string; jobs: Shown[] }[];
      };
      const shown = queues.find(({ name }) => name === 'batch-http')?.jobs ?? [];
      const own = shown.filter(({ data: { chunks = [] } }) => chunks.some(({ run }) => run === created.id));
      return own.length > 0 ? own : undefined;
    });
    const chunks = jobs.flatMap(({ data }) => data.chunks ?? []).filter(({ run }) => run === created.id);
    for (const chunk of chunks)
      expect(chunk).toMatchObject({
        account: client.accountId,
        range: expect.stringMatching(/^[01]-[01]$/) as string,
      });
    expect(jobs[0]?.progress).toMatchObject({
      succeeded: expect.any(Number) as number,
      failed: expect.any(Number) as number,
    });
    // On Postgres a line of the log may be written after the end.
    const log = await found('the failure is logged', async () => {
      const logs = await Promise.all(jobs.map(({ id }) => look(`/queues/batch-http/${id}/logs`)));
      const lines = logs.flat().join('\n');
      return lines.includes('input 1: fetch_failed') && lines.includes(created.id) ? lines : undefined;
    });
    expect(log, 'addresses can contain secrets').not.toContain('seen=by-operator');
  });

  test('a watcher that reconnects gets no state twice', async () => {
    const answerPage = site.hold('/slow');
    const urls = [`${site.url}/slow?ms=0`];
    const created = asBatch(await client.call('POST', '/v1/batches', { target: target(), urls }));
    await until('the page is under way', async () => {
      const { counts } = asBatch(await client.call('GET', `/v1/batches/${created.id}`));
      return counts.running === 1;
    });
    const known = 'running-1-0-0-0';
    const returning = await watch(created.id, { 'last-event-id': known });
    const fresh = await watch(created.id);
    await fresh.until(`id: ${known}\nevent: progress\n`);
    answerPage();
    for (const watcher of [fresh, returning]) await watcher.until('event: finished\n');
    expect(returning.text()).not.toContain(`id: ${known}\n`);
    expect(returning.text(), 'its headers do not wait for an event').not.toContain('keep-alive');
  });

  test('a batch into a managed table answers 422 for results and writes its rows', async () => {
    const made = await client.call('POST', '/v1/databases', {
      name: `shop ${backend.kind}`,
      kind: 'managed',
    });
    expect(made.status).toBe(201);
    const { id } = made.json as { id: string };
    const sink = { mode: 'database', database: id, table: 'products' };
    const urls = Array.from({ length: 60 }, (_, index) => page(index));
    const created = asBatch(await client.call('POST', '/v1/batches', { target: target(), urls, sink }));
    expect(created).toMatchObject({ mode: 'database', expires_at: null });
    expect((await ended(created.id)).counts.succeeded).toBe(60);
    expect(await client.call('GET', `/v1/batches/${created.id}/results`)).toMatchObject({
      status: 422,
      json: { error: 'batch writes to a database' },
    });
    const rows = await client.call('GET', `/v1/databases/${id}/tables/products/rows?limit=100`);
    expect((rows.json as { rows: unknown[] }).rows).toHaveLength(60);
    expect((rows.json as { rows: unknown[] }).rows[0]).toMatchObject({
      title: 'Blue kettle',
      _run_id: created.id,
    });
  });

  test('a batch of another account is not found', async () => {
    const created = asBatch(await client.call('POST', '/v1/batches', { target: target(), urls: [page(1)] }));
    const other = await system.client();
    const absent = await other.call('GET', '/v1/batches/bat_00000000000000000000000000');
    for (const path of ['', '/results', '/failures', '/export', '/events']) {
      const answer = await other.call('GET', `/v1/batches/${created.id}${path}`);
      expect(answer.status).toBe(404);
      expect(answer.text).toBe(absent.text);
    }
    expect((await other.call('POST', `/v1/batches/${created.id}/cancel`)).status).toBe(404);
    await ended(created.id);
  });
});
