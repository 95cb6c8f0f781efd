import { PREBUILT_APIS } from '@gleaner/contracts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { callApi, OPERATOR_PASSWORD, type Client } from '../system/start-system.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
let client: Client;

beforeAll(async () => {
  client = await system.client();
});

const SCHEMA = { fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'number' } } };

interface Parser {
  id: string;
  version: number;
  schema: unknown;
  name: string;
}

async function createParser(by: Client = client, schema: unknown = SCHEMA): Promise<Parser> {
  const { status, json } = await by.call('POST', '/v1/parsers', { name: 'p', schema });
  expect(status).toBe(201);
  return json as Parser;
}

function htmlForm(html: string | Uint8Array, type = 'text/html', name = 'html'): FormData {
  const form = new FormData();
  form.append(name, new Blob([html as BlobPart], { type }), 'page.html');
  return form;
}

function anonymous(method: string, path: string, init?: RequestInit) {
  return callApi(system.baseUrl, undefined, { method, path, ...(init === undefined ? {} : { init }) });
}

describe('keys', () => {
  test.each([undefined, '', 'nonsense', 'gln_00000000_00000000000000000000000000000000000000'])(
    'the key %s is refused with the catalogue’s text',
    async (key) => {
      const answer = await callApi(system.baseUrl, key, { method: 'GET', path: '/v1/credits' });
      expect(answer).toMatchObject({ status: 401, json: { error: 'invalid or inactive api_key' } });
    },
  );

  test('the query form works, and the header is preferred', async () => {
    const path = `/v1/credits?api_key=${client.apiKey}`;
    expect(await anonymous('GET', path)).toMatchObject({
      status: 200,
      json: { creditBalance: 1_000, concurrency: 50 },
    });
    expect((await anonymous('GET', path, { headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
  });
});

describe('every answer', () => {
  test('carries a request id, the caller’s own when it is well formed', async () => {
    expect((await anonymous('GET', '/healthz')).headers.get('x-request-id')).toMatch(/^req_/);
    const own = await anonymous('GET', '/healthz', { headers: { 'x-request-id': 'my-request-1' } });
    expect(own.headers.get('x-request-id')).toBe('my-request-1');
  });

  test('an unknown path has the shape of all errors, and repeats no key', async () => {
    const answer = await anonymous('GET', `/nothing?api_key=${client.apiKey}`);
    expect(answer).toMatchObject({ status: 404, json: { error: 'not found' } });
    expect(answer.text).not.toContain('gln_');
  });

  test('a method that the path does not have is 405, and names those it has', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'PUT']) {
      const scrape = await client.call(method, '/v1/scrape/prs_1?url=https://a.example/');
      expect([scrape.status, scrape.headers.get('allow')]).toEqual([405, 'GET, POST']);
    }
    expect((await client.call('PUT', '/v1/scrape/prs_1')).json).toMatchObject({
      error: 'method not allowed',
      detail: 'PUT is not offered at this path, but GET and POST',
    });
    expect((await client.call('DELETE', '/v1/credits')).headers.get('allow')).toBe('GET, HEAD');
    expect((await client.call('HEAD', '/v1/credits')).status).toBe(200);
  });

  test('everybody may read who crawls', async () => {
    const { status, text, headers } = await anonymous('GET', '/bot');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('User-agent: GleanerBot');
  });

  test('a body that is not JSON, or of another type, is reported', async () => {
    const send = (body: string, type: string) =>
      client.call('POST', '/v1/parsers', body, { headers: { 'content-type': type } });
    expect(await send('{"name":', 'application/json')).toMatchObject({
      status: 400,
      json: { field: 'body' },
    });
    expect((await send('<x/>', 'application/xml')).status).toBe(415);
    expect((await send('{}', 'application/json\ta')).status).toBe(415);
    expect((await send('"x"'.padEnd(2_000_000), 'application/json')).status).toBe(413);
  });

  test('an unknown field is refused by name', async () => {
    expect(await client.call('POST', '/v1/parsers', { name: 'x', schema: SCHEMA, shema: 1 })).toMatchObject({
      status: 400,
      json: { error: 'invalid request', field: 'shema' },
    });
    expect(await client.call('GET', '/v1/parsers?limt=1')).toMatchObject({
      status: 400,
      json: { field: 'limt' },
    });
  });

  test('a damaged cursor is refused', async () => {
    for (const path of ['/v1/parsers', '/v1/credits/ledger']) {
      expect(await client.call('GET', `${path}?cursor=%7Bx`)).toMatchObject({
        status: 400,
        json: { field: 'cursor' },
      });
    }
  });
});

describe('parsers', () => {
  test('are created, read, listed, changed, restored and deleted', async () => {
    const owner = await system.client();
    const made = await createParser(owner);
    expect(made).toMatchObject({ name: 'p', version: 1, schema: SCHEMA });
    const changed = await owner.call('PUT', `/v1/parsers/${made.id}`, {
      schema: { fields: { title: 'h2' } },
    });
    expect(changed.json).toMatchObject({ version: 2, name: 'p', schema: { fields: { title: 'h2' } } });
    const renamed = await owner.call('PUT', `/v1/parsers/${made.id}`, { name: 'q' });
    expect(renamed.json).toMatchObject({ version: 2, name: 'q' });
    const restored = await owner.call('POST', `/v1/parsers/${made.id}/versions/1/restore`);
    expect(restored).toMatchObject({ status: 200, json: { version: 3, schema: SCHEMA } });
    const versions = await owner.call('GET', `/v1/parsers/${made.id}/versions?limit=2`);
    expect(versions.json).toMatchObject({
      versions: [
        { version: 3, restored_from: 1, is_current: true },
        { version: 2, restored_from: null, is_current: false },
      ],
      pagination: { has_more: true },
    });
    expect((await owner.call('DELETE', `/v1/parsers/${made.id}`)).status).toBe(204);
    expect((await owner.call('GET', `/v1/parsers/${made.id}`)).status).toBe(404);
    expect((await owner.call('GET', '/v1/parsers')).json).toMatchObject({
      parsers: [],
      pagination: { has_more: false },
    });
  });

  test('pages of a list neither lose nor repeat one', async () => {
    const owner = await system.client();
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) made.push((await createParser(owner)).id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { json } = await owner.call(
        'GET',
        `/v1/parsers?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      const page = json as { parsers: Parser[]; pagination: { cursor: string | null } };
      seen.push(...page.parsers.map(({ id }) => id));
      cursor = page.pagination.cursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(made.toReversed());
  });

  test('a faulty schema is refused with the field’s path', async () => {
    const answer = await client.call('POST', '/v1/parsers', {
      name: 'x',
      schema: { fields: { price: { css: 'div[' }, ok: 'h1' } },
    });
    expect(answer).toMatchObject({ status: 400, json: { error: 'invalid request' } });
    expect((answer.json as { field: string }).field).toMatch(/^schema\.fields\.price\.css/);
  });

  test('an Idempotency-Key creates one parser for two concurrent requests', async () => {
    const owner = await system.client();
    const send = () =>
      owner.call(
        'POST',
        '/v1/parsers',
        { name: 'once', schema: SCHEMA },
        { headers: { 'idempotency-key': 'k1' } },
      );
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.json).toEqual(second.json);
    expect([first, second].filter(({ headers }) => headers.get('idempotent-replay') === 'true')).toHaveLength(
      1,
    );
    const other = await owner.call(
      'POST',
      '/v1/parsers',
      { name: 'twice', schema: SCHEMA },
      { headers: { 'idempotency-key': 'k1' } },
    );
    expect(other).toMatchObject({ status: 409, json: { error: 'idempotency conflict' } });
    expect((await owner.call('GET', '/v1/parsers')).json).toMatchObject({ parsers: [{ name: 'once' }] });
  });

  test('a preview of html is free and says what each field found', async () => {
    const { status, json, headers } = await client.call('POST', '/v1/parsers/preview', {
      schema: SCHEMA,
      html: '<h1>Kettle</h1>',
    });
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        data: { title: 'Kettle', price: null },
        fields: [{ path: 'title', matched: true }, { path: 'price' }],
      },
    });
    expect(headers.get('x-credits-used')).toBe('0');
  });

  test('the schema language is published', async () => {
    const { status, json } = await client.call('GET', '/v1/schemas/parser');
    expect(status).toBe(200);
    expect(json).toHaveProperty('$schema');
  });
});

describe('parse', () => {
  test.each([
    ['utf-8', 'text/html', Buffer.from('<h1>Käse</h1>')],
    ['a part charset', 'text/html; charset=windows-1252', Buffer.from('<h1>K\xe4se</h1>', 'latin1')],
    ['a meta charset', 'text/html', Buffer.from('<meta charset="iso-8859-1"><h1>K\xe4se</h1>', 'latin1')],
    [
      'UTF-16 with a BOM',
      'text/html',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<h1>Käse</h1>', 'utf16le')]),
    ],
  ])('reads %s', async (_name, type, bytes) => {
    const { id } = await createParser();
    expect(await client.call('POST', `/v1/parse/${id}`, htmlForm(bytes, type))).toMatchObject({
      status: 200,
      json: { title: 'Käse', price: null },
    });
  });

  test('html in a plain form field is accepted too', async () => {
    const { id } = await createParser();
    const form = new FormData();
    form.append('html', '<h1>Field</h1>');
    expect(await client.call('POST', `/v1/parse/${id}`, form)).toMatchObject({
      status: 200,
      json: { title: 'Field' },
    });
    form.append('note', 'x');
    expect(await client.call('POST', `/v1/parse/${id}`, form)).toMatchObject({
      status: 400,
      json: { field: 'note' },
    });
  });

  test.each([
    ['an unknown part', htmlForm('<h1>x</h1>', 'text/html', 'file'), 400, 'file'],
    ['a blank page', htmlForm(' \n'), 400, 'html'],
    [
      'a picture',
      htmlForm(Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4', 'hex')),
      400,
      'html',
    ],
    ['a page over 16 MB', htmlForm(`<h1>x</h1>${' '.repeat(17 * 1024 * 1024)}`), 413, 'html'],
  ])('%s is refused', async (_name, form, status, field) => {
    const { id } = await createParser();
    const answer = await client.call('POST', `/v1/parse/${id}`, form);
    expect({ status: answer.status, field: (answer.json as { field?: string }).field }).toEqual({
      status,
      field,
    });
  });

  test('a body that is not a form, or is truncated, is reported', async () => {
    const { id } = await createParser();
    expect((await client.call('POST', `/v1/parse/${id}`, { html: '<h1>x</h1>' })).json).toMatchObject({
      title: 'x',
    });
    expect((await client.call('POST', `/v1/parse/${id}`, { html: ' ' })).status).toBe(400);
    expect((await client.call('POST', `/v1/parse/${id}`)).status).toBe(400);
    const cut = '--b\r\ncontent-disposition: form-data; name="html"; filename="x"\r\n\r\n<h1>';
    expect(
      await client.call('POST', `/v1/parse/${id}`, cut, {
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      }),
    ).toMatchObject({ status: 400 });
  });

  test('a page nested beyond what a browser builds is 422, quickly', async () => {
    const { id } = await createParser();
    const answer = await client.call('POST', `/v1/parse/${id}`, htmlForm('<div>'.repeat(1_000_000)));
    expect(answer).toMatchObject({ status: 422, json: { error: 'extraction failed', field: 'html' } });
  });

  test('health answers while a large page is parsed', async () => {
    const { id } = await createParser();
    const row = '<tr><td>cell one</td><td>cell two</td></tr>';
    const page = `<h1>x</h1><table>${row.repeat(Math.floor((15 * 1024 * 1024) / row.length))}</table>`;
    let isParsing = true;
    const parsing = client.call('POST', `/v1/parse/${id}`, htmlForm(page)).finally(() => {
      isParsing = false;
    });
    let probes = 0;
    while (isParsing) {
      expect((await anonymous('GET', '/healthz')).status).toBe(200);
      probes += 1;
    }
    expect([200, 422]).toContain((await parsing).status);
    expect(probes).toBeGreaterThan(10);
  });
});

describe('the description', () => {
  test('OpenAPI 3.1 passes a strict linter', async () => {
    const { text } = await anonymous('GET', '/openapi.json');
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: text, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('OpenAPI promises the headers of credits where they are sent', async () => {
    interface Answers {
      responses: Record<string, { headers?: Record<string, unknown> }>;
    }
    const { json } = await anonymous('GET', '/openapi.json');
    const { paths } = json as { paths: Record<string, Record<string, Answers>> };
    const headersOf = (path: string, method: string, status: string): string[] =>
      Object.keys(paths[path]?.[method]?.responses[status]?.headers ?? {});
    expect(headersOf('/v1/scrape/{parserId}', 'get', '200')).toContain('X-Credits-Used');
    for (const path of ['/v1/jobs', '/v1/batches']) {
      expect(headersOf(path, 'post', '202')).toEqual(['X-Request-Id']);
    }
  });

  test('the docs page loads nothing from other sites', async () => {
    const { status, text } = await anonymous('GET', '/docs/');
    expect(status).toBe(200);
    expect(text).not.toMatch(/(src|href)="https?:/);
    expect(text).toContain('<title>Gleaner API</title>');
    for (const path of ['/docs/page.js', '/docs/reference/js/scalar.js']) {
      expect((await anonymous('GET', path)).status).toBe(200);
    }
  });

  test('the reference and its script come compressed, and as they are to those who can’t read that', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    for (const [path, most] of [
      ['/openapi.json', 100_000],
      ['/docs/reference/js/scalar.js', 1_500_000],
    ] as const) {
      const url = `${system.baseUrl}${path}`;
      const [packed, plain] = await Promise.all([
        fetch(url, { headers }),
        fetch(url, { headers: { 'accept-encoding': 'identity' } }),
      ]);
      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(Number(packed.headers.get('content-length'))).toBeLessThan(most);
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(await packed.text()).toBe(await plain.text());
    }
  });

  test('the document begins with an introduction', async () => {
    const { json } = await anonymous('GET', '/openapi.json');
    expect(json).toMatchObject({ info: { description: expect.stringContaining('X-API-Key') } });
  });

  test('OpenAPI has only intended limits, and an example for every required field', async () => {
    interface Described {
      parameters: { name: string; required?: boolean; example?: unknown }[];
      requestBody?: { content: Record<string, { example?: unknown }> };
    }
    const { json, text } = await anonymous('GET', '/openapi.json');
    expect(text).not.toContain('9007199254740991');
    const { paths } = json as { paths: Record<string, Record<string, Described>> };
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { parameters, requestBody }] of Object.entries(methods)) {
        const blank = parameters.filter(
          ({ required, example }) => required === true && example === undefined,
        );
        expect(blank.map(({ name }) => `${method} ${path} ${name}`)).toEqual([]);
        const body = requestBody?.content['application/json'];
        if (body !== undefined) expect(body.example, `${method} ${path}`).toBeDefined();
      }
    }
  });

  test('the catalogue describes every API', async () => {
    const answer = await anonymous('GET', '/v1/apis');
    const { apis } = answer.json as { apis: { id: string }[] };
    expect(apis.map(({ id }) => id)).toEqual(Object.keys(PREBUILT_APIS));
  });
});

describe('operations', () => {
  test('readiness proves that a worker consumes', async () => {
    expect(await anonymous('GET', '/readyz')).toMatchObject({
      status: 200,
      json: { ready: true, checks: { postgres: 'ok', queue: 'ok', worker_http: 'ok' } },
    });
  });

  test('metrics cover requests, queues, credits and other processes', async () => {
    const { text } = await anonymous('GET', '/metrics');
    for (const name of [
      'gleaner_http_requests_total',
      'gleaner_queue_jobs',
      'gleaner_credits',
      'gleaner_fetches_total',
    ]) {
      expect(text).toContain(`# TYPE ${name}`);
    }
  });

  test('Bull Board asks for the operator', async () => {
    const login = (password: string) => ({
      headers: { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` },
    });
    expect((await anonymous('GET', '/admin/queues')).status).toBe(401);
    expect((await anonymous('GET', '/admin/queues/api/queues', login('wrong'))).status).toBe(401);
    expect((await anonymous('GET', '/admin/queues/api/queues', login(OPERATOR_PASSWORD))).status).toBe(200);
    expect((await client.call('GET', '/admin/queues')).status).toBe(401);
  });
});

describe('limits', () => {
  test('a key’s requests per minute are counted, reported in headers and limited', async () => {
    const limited = await system.client({ requestsPerMinute: 3 });
    const statuses: number[] = [];
    let last = await limited.call('GET', '/v1/credits');
    expect(last.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    expect(last.headers.get('ratelimit')).toMatch(/^"default";r=2;t=\d+$/);
    for (let index = 0; index < 3; index += 1) {
      last = await limited.call('GET', '/v1/credits');
      statuses.push(last.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect(last.json).toMatchObject({ error: 'rate limit exceeded' });
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
