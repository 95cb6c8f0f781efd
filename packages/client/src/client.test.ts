import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type Client } from './client.ts';
import manifest from '../package.json' with { type: 'json' };
import { GleanerError, isGleanerError } from './errors.ts';
import type { Batch } from './generated/operations.ts';

/** A service with responses from the test, for faults that a real one has only when it is broken. */
type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => unknown;

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

let seen: Seen[] = [];
let answers: Answer[] = [];
let client: Client;
let testNumber = 0;

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A watcher of an earlier test may still reconnect.
  if (request.headers['x-api-key'] !== `gln_test${testNumber}`) {
    response.destroy();
    return;
  }
  const answer = answers.length > 1 ? answers.shift() : answers[0];
  const body = answer === readsSlowly ? '' : await readBody(request);
  seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
  await answer?.(response, request, body);
}

const server = createServer((request, response) => {
  // Some tests disconnect in the middle of a request.
  respond(request, response).catch(() => response.destroy());
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  testNumber += 1;
  seen = [];
  answers = [];
  const { port } = server.address() as AddressInfo;
  client = createClient({ baseUrl: `http://127.0.0.1:${port}/`, apiKey: `gln_test${testNumber}` });
});

function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const cut: Answer = (response) => response.destroy();
const silent: Answer = () => undefined;

let taken = 0;
const readsSlowly: Answer = async (response, request) => {
  taken = 0;
  for await (const chunk of request) {
    taken += (chunk as Buffer).length;
    await delay(1);
  }
  json(202, batch('pending'))(response, request, '');
};

function batch(status: Batch['status'], succeeded = 0): Batch {
  const counts = {
    total: 2,
    pending: 2 - succeeded,
    running: 0,
    succeeded,
    failed: 0,
    cancelled: 0,
    waiting_for_sink: 0,
    quarantined: 0,
    rows_kept: 0,
  };
  return {
    id: 'bat_1',
    name: null,
    status,
    has_failures: false,
    rows: null,
    publication: 'none',
    held_removals: [],
    held: 0,
    mode: 'return',
    target: { type: 'parser', parserId: 'prs_1' },
    scrape_config: {},
    sink: { mode: 'return' },
    max_credits: null,
    keep_pages: null,
    carry: null,
    source: null,
    since: null,
    counts,
    credits: { reserved: 2, used: 0 },
    waiting: null,
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: null,
    finished_at: null,
    expires_at: null,
  };
}

const target = { type: 'parser', parserId: 'prs_1' } as const;
const again = { error: 'temporarily unavailable' };
function keysOf(): unknown[] {
  return seen.map(({ headers }) => headers['idempotency-key']);
}

describe('a request', () => {
  test('sends key, path parameters, query and body', async () => {
    answers = [json(200, { rows: [], pagination: { cursor: null, has_more: false } })];
    await client.databases.listRows('db_1', 'a/b?c', { filter: { price: { gt: 1 } }, limit: 5 });
    expect(seen[0]).toMatchObject({
      method: 'GET',
      url: '/v1/databases/db_1/tables/a%2Fb%3Fc/rows?filter=%7B%22price%22%3A%7B%22gt%22%3A1%7D%7D&limit=5',
      headers: { 'x-api-key': `gln_test${testNumber}` },
    });
    await client.parsers.update('..', { name: 'x' });
    expect(seen[1]).toMatchObject({
      method: 'PUT',
      body: '{"name":"x"}',
      headers: { 'content-type': 'application/json' },
    });
    await client.credits.get();
    expect(seen[2]?.headers['content-type']).toBeUndefined();
  });

  test('reads the changes of a table page by page, and says where to go on', async () => {
    const change = (id: string) => ({ id, kind: 'new', key: {}, at: '', run_id: null });
    const page = (ids: string[], cursor: string) => json(200, { changes: ids.map(change), cursor });
    // The second page passed over changes of other kinds.
    answers = [page(['1', '2'], 'c2'), page([], 'c5'), page(['6'], 'c6'), page([], 'c6')];
    const changes = client.table('db_1', 'products').changes({ after: 'c0', kinds: 'new' });
    expect(changes.cursor).toBe('c0');
    const ids: string[] = [];
    for await (const { id } of changes) ids.push(id);
    expect(ids).toEqual(['1', '2', '6']);
    expect(changes.cursor).toBe('c6');
    expect(seen.map(({ url }) => new URL(url, 'http://a/').searchParams.get('after'))).toEqual([
      'c0',
      'c2',
      'c5',
      'c6',
    ]);
  });

  test('with an empty id throws instead of calling another address', () => {
    expect(() => void client.parsers.delete(undefined as unknown as string)).toThrow('expected an id');
    return expect(client.parsers.delete('')).rejects.toThrow('{id}');
  });

  test('returns the data, and with answer() also details of the response', async () => {
    answers = [
      json(
        200,
        { title: 'x' },
        {
          'x-credits-used': '5',
          'x-credits-remaining': '95',
          'x-fetched-by': 'browser',
          'x-request-id': 'req_1',
        },
      ),
    ];
    expect(await client.scrape('prs_1', 'https://a.example/')).toEqual({ title: 'x' });
    const { data, ...beside } = await client.scrape('prs_1', 'https://a.example/').answer();
    expect(data).toEqual({ title: 'x' });
    expect(beside).toEqual({
      status: 200,
      requestId: 'req_1',
      creditsUsed: 5,
      creditsRemaining: 95,
      fetchedBy: 'browser',
      isReplay: false,
    });
    answers = [json(200, { creditBalance: 1, concurrency: 1 })];
    expect((await client.credits.get().answer()).creditsUsed).toBeUndefined();
  });
});

describe('an error', () => {
  test('contains all fields of the service, and its type narrows by code', async () => {
    answers = [
      json(
        402,
        { error: 'insufficient credits', required: 5, available: 2, hint: 'buy' },
        { 'x-request-id': 'req_2' },
      ),
    ];
    const error: unknown = await client.jobs
      .create({ target, url: 'https://a.example/' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GleanerError);
    expect(error).toMatchObject({
      status: 402,
      code: 'insufficient credits',
      hint: 'buy',
      requestId: 'req_2',
      numbers: { required: 5, available: 2 },
    });
    expect(isGleanerError(error, 'insufficient credits', 'not found')).toBe(true);
    expect(isGleanerError(error, 'not found')).toBe(false);
    expect(isGleanerError(new Error('x'))).toBe(false);
    expect(seen).toHaveLength(1);
  });

  test.each<[string, Answer, object]>([
    [
      'a page of a proxy',
      (response) => response.writeHead(403).end('<h1>no</h1>'),
      { status: 403, code: 'unexpected answer' },
    ],
    [
      'an answer that is not JSON',
      (response) => response.end('hello'),
      { status: 200, code: 'unexpected answer' },
    ],
    ['JSON that is not an object', json(404, 'x'), { status: 404, code: 'unexpected answer' }],
  ])('says so of %s', async (_what, answer, expected) => {
    answers = [answer];
    await expect(client.parsers.get('prs_1')).rejects.toMatchObject(expected);
  });

  test('says so of a redirect, whose address never gets the key', async () => {
    const keys: unknown[] = [];
    const other = createServer((request, response) => {
      keys.push(request.headers['x-api-key']);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const location = `http://localhost:${(other.address() as AddressInfo).port}/v1/credits`;
    for (const status of [301, 302, 303, 307, 308]) {
      answers = [(response) => response.writeHead(status, { location }).end()];
      await expect(client.credits.get()).rejects.toMatchObject({
        status,
        code: 'unexpected answer',
        detail: expect.stringContaining(location),
      });
      await expect(
        client.parsers.create({ name: 'x', schema: { fields: { a: 'h1' } } }),
      ).rejects.toMatchObject({ status });
    }
    expect(keys).toEqual([]);
    expect(seen).toHaveLength(10);
  });

  test('differs for a timeout, a lost connection and an abort', async () => {
    answers = [silent];
    await expect(client.parsers.get('p', { timeoutMs: 50, retries: 0 })).rejects.toMatchObject({
      code: 'timed out',
      status: 0,
    });
    answers = [cut];
    await expect(client.parsers.get('p', { retries: 0 })).rejects.toMatchObject({
      code: 'no answer',
      status: 0,
    });
    answers = [silent];
    const reason = new Error('enough');
    await expect(client.parsers.get('p', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 30);
    await expect(client.parsers.get('p', { signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('a retry', () => {
  test('of a creating call uses the same key, so that nothing is created twice', async () => {
    answers = [cut, json(503, again), json(201, { id: 'prs_1' })];
    await client.parsers.create({ name: 'x', schema: { fields: { a: 'h1' } } });
    expect(seen).toHaveLength(3);
    expect(keysOf()[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keysOf()).size).toBe(1);
    answers = [json(201, { id: 'prs_1' }, { 'idempotent-replay': 'true' })];
    const body = { name: 'x', schema: { fields: { a: 'h1' } } };
    expect((await client.parsers.create(body, { idempotencyKey: 'mine' }).answer()).isReplay).toBe(true);
    expect(keysOf()[3]).toBe('mine');
  });

  test('waits for Retry-After, in seconds or as a date', async () => {
    answers = [json(429, { error: 'rate limit exceeded' }, { 'retry-after': '1' }), json(200, {})];
    const start = Date.now();
    await client.webhooks.rotateSecret();
    expect(Date.now() - start).toBeGreaterThanOrEqual(990);
    const date = new Date(Date.now() + 2_000).toUTCString();
    answers = [json(429, { error: 'rate limit exceeded' }, { 'retry-after': date }), json(200, {})];
    await client.webhooks.rotateSecret();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date) - 50);
    expect(seen).toHaveLength(4);
  });

  test('is told before its wait', async () => {
    const waits: unknown[] = [];
    const told = createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: `gln_test${testNumber}`,
      onWait: ({ status }, delayMs) => waits.push({ status, delayMs }),
    });
    answers = [json(503, again, { 'retry-after': '0' }), json(200, {})];
    await told.credits.get();
    expect(waits).toEqual([{ status: 503, delayMs: 0 }]);
  });

  test('stops waiting after an abort', async () => {
    answers = [json(429, { error: 'rate limit exceeded' }, { 'retry-after': '30' })];
    const signal = AbortSignal.timeout(50);
    await expect(client.credits.get({ signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test.each<[string, Answer, () => Promise<unknown>]>([
    ['of a refusal without a time', json(429, { error: 'plan limit exceeded' }), () => client.credits.get()],
    [
      'of a wait that is too long',
      json(429, { error: 'rate limit exceeded' }, { 'retry-after': '3600' }),
      () => client.credits.get(),
    ],
    ['of a fault of the caller', json(400, { error: 'invalid request' }), () => client.credits.get()],
    ['of a POST that may have worked', cut, () => client.batches.cancel('bat_1')],
    ['of a scrape that may have been charged', cut, () => client.scrape('prs_1', 'https://a.example/')],
    [
      'of a scrape that a proxy gave up',
      (response) => response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>Gateway Time-out</h1>'),
      () => client.scrape('prs_1', 'https://a.example/'),
    ],
    [
      'of a page that the service has tried again itself',
      json(502, { error: 'fetch failed' }),
      () => client.scrape('prs_1', 'https://a.example/'),
    ],
  ])('is not made %s', async (_what, answer, call) => {
    answers = [answer];
    await expect(call()).rejects.toBeInstanceOf(GleanerError);
    expect(seen).toHaveLength(1);
  });

  test('happens at most the configured number of times', async () => {
    answers = [json(503, again, { 'retry-after': '0' })];
    await expect(client.credits.get({ retries: 4 })).rejects.toMatchObject({
      code: 'temporarily unavailable',
    });
    expect(seen).toHaveLength(5);
  });
});

test('names itself, and the cause of a connection that failed', async () => {
  answers = [json(200, {})];
  await client.credits.get();
  expect(seen[0]?.headers['user-agent']).toBe(`gleaner-client/${manifest.version}`);
  const nobody = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'gln_x', retries: 0 });
  await expect(nobody.credits.get()).rejects.toMatchObject({
    detail: expect.stringMatching(/ECONNREFUSED|bad port/),
  });
});

test('unknown keys of a call do not compile', () => {
  const { crons, batches, parsers, jobs } = client;
  const target = { type: 'parser', parserId: 'prs_1' } as const;
  const calls = [
    // @ts-expect-error no such key
    () => crons.create({ name: 'a', description: '', schedule: '0 6 * * *', target, shedule: '' }),
    // @ts-expect-error no such key
    () => batches.create({ target, url: ['https://a.example/'] }),
    // @ts-expect-error no such key
    () => batches.create({ target, urls: [], scrape_config: { useBrowzer: true } }),
    // @ts-expect-error no such key
    () => batches.upload({ target, dryRun: true }, []),
    // @ts-expect-error no such key
    () => jobs.create({ target, url: 'https://a.example/', wait: true }),
    // @ts-expect-error no such key
    () => parsers.list({ curser: 'x' }),
    // @ts-expect-error a dry run has no id
    async () => (await crons.create({ name: 'a', description: '', schedule: '', target, dry_run: true })).id,
  ];
  expect(calls).toHaveLength(7);
});

describe('a list', () => {
  const page = (ids: string[], cursor: string | null): Answer =>
    json(200, { parsers: ids.map((id) => ({ id })), pagination: { cursor, has_more: cursor !== null } });

  test('resolves to its first page, and iterates over all items', async () => {
    answers = [page(['a', 'b'], 'c1')];
    expect((await client.parsers.list({ limit: 2 })).parsers).toHaveLength(2);
    seen = [];
    answers = [page(['a', 'b'], 'c1'), page(['c'], null)];
    const ids: string[] = [];
    // A listing that nobody reads sends nothing.
    void client.parsers.list({ limit: 2 });
    for await (const { id } of client.parsers.list({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/parsers?limit=2', '/v1/parsers?limit=2&cursor=c1']);
  });

  test('of results waits while the batch runs, and requests only pages that are read', async () => {
    answers = [
      json(200, { results: [], cursor: 'c1' }),
      json(200, { results: [{ url: 'u', data: 1 }], cursor: 'c2' }),
      json(200, { results: [] }),
    ];
    const results: unknown[] = [];
    for await (const { data } of client.batches.results('bat_1')) results.push(data);
    expect(results).toEqual([1]);
    expect(seen).toHaveLength(3);
    answers = [page(['a', 'b'], 'c1')];
    for await (const _item of client.parsers.list()) break;
    expect(seen).toHaveLength(4);
  });

  test('that fails throws only where it is read', async () => {
    answers = [page(['a'], 'c1'), json(400, { error: 'invalid request' })];
    const read = async (): Promise<void> => {
      for await (const _item of client.parsers.list());
    };
    await expect(read()).rejects.toMatchObject({ code: 'invalid request' });
    await expect(read()).rejects.toMatchObject({ code: 'invalid request' });
  });
});

describe('an upload', () => {
  async function* urls(count: number): AsyncGenerator<string, void, undefined> {
    for (let number = 0; number < count; number += 1) {
      made = number + 1;
      yield `https://a.example/${number}?${'x'.repeat(1_000)}`;
    }
  }
  let made = 0;

  test('is a form with the fields first, then a line for each input', async () => {
    answers = [json(202, batch('pending'))];
    await client.batches.upload({ target, name: 'n"1"', dedupe: true }, ['https://a.example/', { url: 'u' }]);
    const [sent] = seen;
    const form = await new Response(sent?.body, {
      headers: { 'content-type': sent?.headers['content-type'] ?? '' },
    }).formData();
    expect([...form.keys()]).toEqual(['target', 'name', 'dedupe', 'file']);
    expect(form.get('target')).toBe(JSON.stringify(target));
    expect(form.get('name')).toBe('n"1"');
    expect(form.get('dedupe')).toBe('true');
    const file = form.get('file') as File;
    expect([file.name, await file.text()]).toEqual(['inputs.ndjson', '"https://a.example/"\n{"url":"u"}\n']);
    expect(sent?.headers['content-length']).toBeUndefined();
  });

  test('reads inputs only as fast as the connection accepts them', async () => {
    made = 0;
    answers = [readsSlowly];
    const count = 20_000;
    const upload = client.batches.upload({ target }, urls(count));
    await expect.poll(() => taken, { interval: 5 }).toBeGreaterThan(0);
    expect(made * 1_000 - taken).toBeLessThan(8_000_000);
    expect(made).toBeLessThan(count);
    await upload;
    expect(made).toBe(count);
    expect(taken).toBeGreaterThan(count * 1_000);
  });

  test('is retried only if it can be read again', async () => {
    answers = [json(503, again)];
    await expect(client.batches.upload({ target }, urls(2))).rejects.toMatchObject({ status: 503 });
    expect(seen).toHaveLength(1);
    answers = [json(503, again, { 'retry-after': '0' }), json(202, batch('pending'))];
    await client.batches.createFromFile({ target, file: new Blob(['https://a.example/\n']) });
    expect(seen).toHaveLength(3);
    expect(seen[2]?.body).toContain('https://a.example/\n');
  });

  test('fails with the error that the inputs throw', async () => {
    async function* broken(): AsyncGenerator<string, void, undefined> {
      yield 'https://a.example/';
      await delay(1);
      throw new Error('the file is gone');
    }
    answers = [json(202, batch('pending'))];
    await expect(client.batches.upload({ target }, broken())).rejects.toThrow('the file is gone');
  });
});

describe('waiting', () => {
  const event = (record: Batch, id = 'x'): string =>
    `id: ${id}\nevent: ${record.status === 'running' ? 'progress' : 'finished'}\ndata: ${JSON.stringify(record)}\n\n`;
  const stream =
    (...texts: string[]): Answer =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of texts) {
        response.write(text);
        await delay(5);
      }
      response.end();
    };

  test('follows the events to the end, through disconnections, and resumes at the last one', async () => {
    const text = event(batch('running', 1), 's1');
    answers = [
      stream(': hello\n\n', text.slice(0, 30), text.slice(30)),
      json(200, batch('running', 1)),
      stream(event(batch('succeeded', 2), 's2')),
    ];
    const progress: number[] = [];
    const ended = await client.batches.waitFor('bat_1', {
      onProgress: ({ counts }) => progress.push(counts.succeeded),
    });
    expect(ended.status).toBe('succeeded');
    expect(progress).toEqual([1, 2]);
    expect(seen.map(({ url, headers }) => [url, headers['last-event-id']])).toEqual([
      ['/v1/batches/bat_1/events', undefined],
      ['/v1/batches/bat_1', undefined],
      ['/v1/batches/bat_1/events', 's1'],
    ]);
  });

  test('polls the record when no events arrive', async () => {
    answers = [
      json(429, { error: 'concurrency limit exceeded' }),
      json(200, batch('running')),
      cut,
      json(503, again),
      json(200, batch('running', 1)),
      json(200, batch('succeeded', 2)),
    ];
    const { status } = await client.batches.waitFor({ id: 'bat_1' }, { pollMs: 20 });
    expect(status).toBe('succeeded');
    expect(seen.filter(({ url }) => url.endsWith('/events'))).toHaveLength(2);
  });

  test('polls records without events, and ends on a permanent failure', async () => {
    answers = [json(200, { id: 'job_1', status: 'pending' }), json(200, { id: 'job_1', status: 'failed' })];
    expect((await client.jobs.waitFor('job_1', { pollMs: 10 })).status).toBe('failed');
    answers = [json(404, { error: 'not found' })];
    await expect(client.batches.waitFor('bat_1')).rejects.toMatchObject({ code: 'not found' });
    await expect(client.jobs.waitFor('job_1')).rejects.toMatchObject({ code: 'not found' });
  });

  test('ends with the caller’s signal, and closes the stream', async () => {
    const closed = Promise.withResolvers<void>();
    answers = [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(event(batch('running')));
        response.once('close', closed.resolve);
      },
    ];
    const controller = new AbortController();
    const wait = client.batches.waitFor('bat_1', {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(wait).rejects.toThrow('enough');
    await closed.promise;
  });

  test.each(['batches', 'jobs'] as const)('ends at a time limit while %s are silent', async (group) => {
    answers = [(response) => response.writeHead(200).flushHeaders()];
    const wait = client[group].waitFor('x_1', { signal: AbortSignal.timeout(50) });
    await expect(wait).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a download', () => {
  test('returns lines and rows across chunks, and ends when the reader stops', async () => {
    const chunks = ['{"a":"ä', '"}\r\n{"a"', ':2}\n', '\n{"a":3}'];
    const closed = Promise.withResolvers<boolean>();
    answers = [
      async (response) => {
        response.writeHead(200, {
          'content-type': 'application/x-ndjson',
          'content-disposition': 'attachment; filename="x.ndjson"',
        });
        for (const chunk of chunks) {
          for (const byte of Buffer.from(chunk)) response.write(Buffer.of(byte));
          await delay(2);
        }
        response.end();
      },
    ];
    const download = await client.batches.export('bat_1');
    expect(download).toMatchObject({ contentType: 'application/x-ndjson', filename: 'x.ndjson' });
    const rows: unknown[] = [];
    for await (const row of download.rows()) rows.push(row);
    expect(rows).toEqual([{ a: 'ä' }, { a: 2 }, { a: 3 }]);
    expect(await (await client.batches.export('bat_1')).text()).toBe(chunks.join(''));
    answers = [
      (response) => {
        response.write('a\nb\n');
        response.once('close', () => closed.resolve(response.writableFinished));
      },
    ];
    for await (const line of (await client.batches.export('bat_1')).lines()) {
      expect(line).toBe('a');
      break;
    }
    expect(await closed.promise).toBe(false);
  });
});

test('an unsaved schema that fails on a page throws an error, like a saved one', async () => {
  answers = [
    json(200, {
      data: { a: null },
      fields: [{ path: 'a', matched: false, value_count: 0, selector: null, error: 'is absent' }],
    }),
  ];
  const schema = { fields: { a: { css: 'h1', required: true } } } as const;
  await expect(client.parse(schema, '<p>x</p>')).rejects.toMatchObject({
    status: 422,
    code: 'extraction failed',
    field: 'a',
  });
});

test('an address that is none fails at once', () => {
  const nothing = {} as { baseUrl: string };
  expect(() => createClient(nothing)).toThrow(
    'baseUrl must be the address of the service, such as http://127.0.0.1:3000, not undefined',
  );
  for (const baseUrl of ['', 'nonsense', 'localhost:3000', 'ftp://a.example', 'http://'])
    expect(() => createClient({ baseUrl }), baseUrl).toThrow(TypeError);
  expect(() => createClient({ baseUrl: '', fetch })).not.toThrow();
});
