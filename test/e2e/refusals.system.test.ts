import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../system/start-system.ts';
import { useSystem } from '../system/use-system.ts';

/** Requests that must be refused clearly, or distinguished, without harm to anybody. */

const system = useSystem();
let client: Client;
let parserId: string;

beforeAll(async () => {
  client = await system.client();
  parserId = await createParser({ explain: 'h1', title: 'h1' });
});

async function createParser(fields: Record<string, unknown>): Promise<string> {
  const { json } = await client.call('POST', '/v1/parsers', { name: 'p', schema: { fields } });
  return (json as { id: string }).id;
}

function target() {
  return { type: 'parser', parserId };
}

function upload(lines: readonly string[], more: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.append('target', JSON.stringify(target()));
  for (const [name, value] of Object.entries(more)) form.append(name, value);
  form.append('file', new Blob([lines.join('\n')]), 'urls.ndjson');
  return form;
}

function withKey(key: string): RequestInit {
  return { headers: { 'idempotency-key': key } };
}

function idOf({ json }: Answer): string {
  return (json as { id: string }).id;
}

async function batchCount(): Promise<number> {
  const { json } = await client.call('GET', '/v1/batches?limit=100');
  return (json as { batches: unknown[] }).batches.length;
}

describe('characters that Postgres cannot store', () => {
  test.each([
    ['POST', '/v1/parsers', { name: 'a\0', schema: { fields: { a: 'p' } } }, 'name'],
    ['POST', '/v1/parsers', { name: 'a\uD83D', schema: { fields: { a: 'p' } } }, 'name'],
    [
      'POST',
      '/v1/jobs',
      { target: { type: 'parser', parserId: 'x\0' }, url: 'http://a.example/' },
      'target.parserId',
    ],
    ['POST', '/v1/webhooks', { url: 'https://a.example/\0', events: ['job.finished'] }, 'url'],
    ['POST', '/v1/databases', { name: 'a\0', kind: 'managed' }, 'name'],
    ['GET', '/v1/parsers/%00', undefined, 'id'],
    ['GET', '/v1/webhooks/deliveries?run=%00', undefined, 'run'],
    ['GET', `/v1/parsers/${'a'.repeat(501)}`, undefined, 'path'],
  ])('%s %s is refused with its field', async (method, path, body, field) => {
    expect(await client.call(method, path, body)).toMatchObject({
      status: 400,
      json: { error: 'invalid request', field },
    });
  });

  test('an input with NUL is refused with its position, inline and in a file', async () => {
    const urls = ['http://a.example/', 'http://a.example/\0'];
    const inline = await client.call('POST', '/v1/batches', { target: target(), urls });
    expect(inline).toMatchObject({ status: 400, json: { field: 'urls[1]' } });
    const lines = urls.map((url) => JSON.stringify({ url }));
    expect(await client.call('POST', '/v1/batches', upload(lines))).toMatchObject({
      status: 400,
      json: { field: 'file', detail: expect.stringContaining('line 2') as string },
    });
  });
});

test('a body nested too deeply is refused, and the service stays up', async () => {
  const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  for (const path of ['/v1/parsers', '/v1/jobs', '/v1/batches']) {
    const answer = await client.call('POST', path, undefined, {
      body: `{"name":"x","schema":${nested}}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 400, json: { field: 'body' } });
  }
  const brackets = await client.call('POST', '/v1/parsers', {
    name: `${'[{"'.repeat(1_000)}\\"`.slice(0, 200),
    schema: { fields: { a: 'p' } },
  });
  expect(brackets.status).toBe(201);
});

test('HEAD of a metered operation or a stream does no work', async () => {
  const head = await client.call('HEAD', `/v1/scrape/${parserId}?url=http://127.0.0.1:1/`);
  expect(head.status).toBe(405);
  const batch = await client.call('POST', '/v1/batches', {
    target: { type: 'parser', parserId },
    urls: ['http://127.0.0.1:1/'],
  });
  const { id } = batch.json as { id: string };
  for (const stream of ['events', 'export'])
    expect((await client.call('HEAD', `/v1/batches/${id}/${stream}`)).status).toBe(405);
  expect((await client.call('HEAD', '/v1/credits')).status).toBe(200);
});

test('finished exports make room for others', async () => {
  const batch = await client.call('POST', '/v1/batches', {
    target: { type: 'parser', parserId },
    urls: ['http://127.0.0.1:1/'],
  });
  const { id } = batch.json as { id: string };
  const answers: number[] = [];
  for (let round = 0; round < 25; round += 1)
    answers.push((await client.call('GET', `/v1/batches/${id}/export`)).status);
  expect(new Set(answers)).toEqual(new Set([200]));
});

test('forbidden and invalid header names are refused with their field', async () => {
  const withHeaders = (headers: object): object => ({
    name: 'headers',
    schema: { fields: { a: 'p' } },
    scrape_config: { headers },
  });
  for (const name of ['Host', 'content-length', 'Proxy-Authorization']) {
    expect(await client.call('POST', '/v1/parsers', withHeaders({ [name]: 'x' }))).toMatchObject({
      status: 400,
      json: {
        field: `scrape_config.headers.${name}`,
        detail: expect.stringContaining("can't be set") as string,
      },
    });
  }
  const query = encodeURIComponent('{"Host":"x"}');
  expect(
    await client.call('GET', `/v1/scrape/${parserId}?url=http://127.0.0.1:1/&headers=${query}`),
  ).toMatchObject({ status: 400, json: { field: 'headers.Host' } });
  expect(await client.call('POST', '/v1/parsers', withHeaders({ 'a b': 'x' }))).toMatchObject({
    json: { detail: expect.stringContaining('must be an HTTP header name') as string },
  });
});

test('a path with an extra slash is not reported as offered', async () => {
  const answer = await client.call('GET', '/v1/credits/');
  expect(answer).toMatchObject({ status: 404, json: { detail: 'there is nothing at this path' } });
  expect(answer.headers.get('allow')).toBeNull();
});

test('a body without a Content-Type is refused for this reason', async () => {
  expect(await client.call('QUERY', '/v1/credits')).toMatchObject({
    status: 415,
    json: { error: 'unsupported media type' },
  });
});

test('the error for an unsupported method names the supported ones', async () => {
  const answer = await client.call('PATCH', `/v1/parsers/${parserId}`);
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE');
});

test('bodies that are not JSON are reported', async () => {
  const headers = { 'content-type': 'text/plain' };
  expect(await client.call('POST', '/v1/parsers', undefined, { body: '{}', headers })).toMatchObject({
    status: 415,
    json: {
      error: 'unsupported media type',
      detail: 'the body must be application/json, not "text/plain"',
    },
  });
});

test.each(['/v1/jobs', '/v1/batches'])('an unknown parser is named at %s', async (path) => {
  const inputs = path === '/v1/jobs' ? { url: 'http://a.test/' } : { urls: ['http://a.test/'] };
  const body = { target: { type: 'parser', parserId: 'prs_01kaaaaaaaaaaaaaaaaaaaaaaa' }, ...inputs };
  expect(await client.call('POST', path, body)).toMatchObject({
    status: 404,
    json: { error: 'not found', field: 'target.parserId' },
  });
});

test('a compressed body is refused for its encoding, not as invalid JSON', async () => {
  const body = gzipSync(JSON.stringify({ target: { type: 'parser', parserId }, urls: ['http://a.test/'] }));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  expect(await client.call('POST', '/v1/batches', body, { headers })).toMatchObject({
    status: 415,
    json: { error: 'unsupported media type', field: 'Content-Encoding' },
  });
});

test.each(['text/html', 'application/x-www-form-urlencoded'])(
  'a page or an upload sent as %s is refused with the types that are accepted',
  async (type) => {
    const sent = { body: '<h1>a</h1>', headers: { 'content-type': type } };
    expect(await client.call('POST', `/v1/parse/${parserId}`, undefined, sent)).toMatchObject({
      status: 415,
      json: { detail: `the body must be application/json or multipart/form-data, not "${type}"` },
    });
    expect(await client.call('POST', '/v1/batches', undefined, sent)).toMatchObject({
      status: 415,
      json: { detail: `the body must be application/json or multipart/form-data, not "${type}"` },
    });
  },
);

test('an explanation does not take a field’s place', async () => {
  const form = (): FormData => {
    const made = new FormData();
    made.append('html', '<h1>Ä</h1>');
    return made;
  };
  const plain = await client.call('POST', `/v1/parse/${parserId}`, form());
  expect(plain).toMatchObject({ status: 200, json: { explain: 'Ä', title: 'Ä' } });
  expect(await client.call('POST', `/v1/parse/${parserId}?explain=true`, form())).toMatchObject({
    status: 400,
    json: { field: 'explain' },
  });
});

test('a page in a plain form field keeps its bytes', async () => {
  const boundary = 'xyz';
  const page = Buffer.from('<meta charset=shift_jis><h1>\x83\x65\x83\x58\x83\x67</h1>', 'latin1');
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="html"\r\n\r\n`),
    page,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  expect(
    await client.call('POST', `/v1/parse/${parserId}`, undefined, { body: new Uint8Array(body), headers }),
  ).toMatchObject({ status: 200, json: { title: 'テスト' } });
});

test('numbers in queries are digits', async () => {
  for (const text of ['', '0x10', '1e1', 'abc'])
    expect(await client.call('GET', `/v1/parsers?limit=${text}`)).toMatchObject({
      status: 400,
      json: { field: 'limit', detail: `limit: must be a number, not ${JSON.stringify(text)}` },
    });
});

test('fields that do not apply to a prebuilt API are refused', async () => {
  const body = { target: { type: 'api', id: 'pronet-post' }, input: { slug: 'a-b' } };
  expect(
    await client.call('POST', '/v1/jobs', { ...body, scrape_config: { proxy: 'hardcore' } }),
  ).toMatchObject({ status: 400, json: { field: 'scrape_config.proxy' } });
});

describe('uploads', () => {
  const line = (page: string): string => JSON.stringify({ url: `http://127.0.0.1:1/${page}` });

  test('with one key are equal only if their contents are equal', async () => {
    const first = await client.call('POST', '/v1/batches', upload([line('a')]), withKey('up'));
    expect(first.status).toBe(202);
    const again = await client.call('POST', '/v1/batches', upload([line('a')]), withKey('up'));
    expect(idOf(again)).toBe(idOf(first));
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replay')).toBe('true');
    for (const other of [upload([line('b')]), upload([line('a')], { max_credits: '1' })]) {
      expect(await client.call('POST', '/v1/batches', other, withKey('up'))).toMatchObject({
        status: 409,
        json: { error: 'idempotency conflict' },
      });
    }
  });

  test('a dry run leaves its key to the batch that follows', async () => {
    const dry = await client.call(
      'POST',
      '/v1/batches',
      upload([line('c')], { dry_run: 'true' }),
      withKey('dry'),
    );
    expect(dry.status).toBe(200);
    const real = await client.call('POST', '/v1/batches', upload([line('c')]), withKey('dry'));
    expect(real).toMatchObject({ status: 202, json: { counts: { total: 1 } } });
  });

  test('fields may come after a file, and are refused after one that is streamed', async () => {
    const before = await batchCount();
    const form = upload([line('d')]);
    form.append('dry_run', 'true');
    expect(await client.call('POST', '/v1/batches', form)).toMatchObject({
      status: 200,
      json: { inputs: 1 },
    });
    const backwards = new FormData();
    for (const [name, value] of [...upload([line('d')])].toReversed()) backwards.append(name, value);
    backwards.append('dry_run', 'true');
    const answer = await client.call('POST', '/v1/batches', backwards);
    expect(answer, answer.text).toMatchObject({ status: 200, json: { inputs: 1 } });
    const long = upload(Array.from({ length: 90_000 }, (_, index) => line(`${'x'.repeat(80)}${index}`)));
    long.append('dry_run', 'true');
    expect(await client.call('POST', '/v1/batches', long)).toMatchObject({
      status: 400,
      json: { field: 'dry_run', detail: 'must be before a file of more than 8 MB' },
    });
    expect(await batchCount()).toBe(before);
  });

  test('a truncated body creates no batch', async () => {
    const before = await batchCount();
    const boundary = 'xyz';
    const part = (name: string, more = ''): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(`${system.baseUrl}/v1/batches`, {
        method: 'POST',
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'x-api-key': client.apiKey,
          'transfer-encoding': 'chunked',
        },
      });
      sent.once('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.once('error', reject);
      sent.write(`${part('target')}${JSON.stringify(target())}\r\n`);
      sent.end(`${part('file', '; filename="urls.ndjson"')}${line('e')}\n${line('f').slice(0, 12)}`);
    });
    expect(status).toBe(400);
    expect(await batchCount()).toBe(before);
  });
});

test('a repeated answer has its keys in the order of the first', async () => {
  const body = { name: 'p', schema: { fields: { zebra: 'p', b: 'p', aa: 'p' } } };
  const first = await client.call('POST', '/v1/parsers', body, withKey('order'));
  const again = await client.call('POST', '/v1/parsers', body, withKey('order'));
  expect(again.text).toBe(first.text);
});

test('public descriptions carry an ETag', async () => {
  const { headers } = await client.call('GET', '/v1/apis');
  const etag = headers.get('etag') ?? '';
  expect(etag).not.toBe('');
  const again = await client.call('GET', '/v1/apis', undefined, { headers: { 'if-none-match': etag } });
  expect(again).toMatchObject({ status: 304, text: '' });
});
