import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createSheets } from '@gleaner/core/sheets';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { collect } from '../collect.ts';
import { ExitCode } from '../exit-codes.ts';
import { buildProgram } from '../program.ts';

/** A service that keeps what it is sent, and answers as `answer` says. */
interface Sent {
  route: string;
  body: unknown;
  text: string;
}

const RECORDS: Readonly<Record<string, object>> = {
  parsers: { id: 'prs_1', slug: 'products', name: 'Products' },
  databases: { id: 'db_1', slug: 'shop', name: 'Shop' },
  workflows: { id: 'wfl_1', slug: 'site', name: 'Site' },
  crons: { id: 'crn_1', slug: 'prices', name: 'Prices' },
};
const CRON = ['crons', 'create', '--name', 'n', '--schedule', '0 6 * * *'];
const SCHEDULED = { name: 'n', description: 'n', schedule: '0 6 * * *' };
const PARSER = { type: 'parser', parserId: 'prs_1' };

const folder = mkdtempSync(join(tmpdir(), 'gleaner-sent-'));
const before = { cwd: process.cwd(), env: { ...process.env } };
const written: { out: string; err: string } = { out: '', err: '' };
let server: Server;
let sent: Sent[] = [];
let firstStage: object = { name: 'pages', target: PARSER };
let answer: (request: IncomingMessage, response: ServerResponse) => object | undefined;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = (await buffer(request)).toString('utf8');
  const [path = ''] = (request.url ?? '').split('?');
  const [, , group = '', id] = path.split('/');
  const isJson = request.headers['content-type'] === 'application/json';
  if (request.method !== 'GET')
    sent.push({ route: `${request.method} ${path}`, body: isJson ? JSON.parse(text) : undefined, text });
  const record = RECORDS[group];
  const own = answer(request, response);
  if (response.writableEnded) return;
  const found =
    own ??
    (id === 'wfl_1' && request.method === 'GET'
      ? { ...record, stages: [firstStage] }
      : request.method === 'GET'
        ? { [group]: record ? [record] : [], pagination: { cursor: null } }
        : { id: 'bat_1', counts: { total: 1 }, source: null });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(found));
}

/** A spreadsheet with a column of addresses and another. */
async function writeSheet(path: string): Promise<void> {
  const rows = (async function* rows() {
    yield [['https://a.example/1', 'first']];
  })();
  const call = { accountId: '', signal: new AbortController().signal };
  const pieces = await collect(await createSheets().write(['URL', 'note'], rows, call));
  writeFileSync(path, Buffer.concat(pieces));
}

beforeAll(async () => {
  await writeSheet(join(folder, 'urls.xlsx'));
  writeFileSync(join(folder, 'urls.csv'), 'URL,note\nhttps://a.example/1,first\n');
  writeFileSync(join(folder, 'urls.tsv'), 'url\tnote\nhttps://a.example/1\tfirst\n');
  writeFileSync(join(folder, 'names.csv'), 'username,count\nnasa,7\n');
  writeFileSync(
    join(folder, 'lines'),
    'https://a.example/1\n"https://a.example/2"\n{"url":"https://a.example/3"}\n',
  );
  writeFileSync(join(folder, 'table.txt'), 'note,"url"\nfirst,https://a.example/1\n');
  writeFileSync(join(folder, 'empty.txt'), '');
  writeFileSync(
    join(folder, 'cron.json'),
    JSON.stringify({ ...SCHEDULED, name: 'of the file', timezone: 'UTC' }),
  );
  writeFileSync(join(folder, 'product.json'), JSON.stringify({ schema: { fields: { title: 'h1' } } }));
  server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  process.chdir(folder);
  process.env['XDG_CONFIG_HOME'] = folder;
  process.env['GLEANER_URL'] = `http://127.0.0.1:${port}`;
  process.env['GLEANER_API_KEY'] = 'gln_key';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.err += String(text);
    return true;
  });
});
afterAll(() => {
  vi.restoreAllMocks();
  process.chdir(before.cwd);
  process.env = before.env;
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  sent = [];
  written.out = '';
  written.err = '';
  firstStage = { name: 'pages', target: PARSER };
  answer = () => undefined;
});

/** Runs a command. @returns its exit code, when it ended by one */
async function gleaner(words: readonly string[]): Promise<number | undefined> {
  const program = await buildProgram(words);
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof ExitCode) return error.code;
    throw error;
  }
}

it.each<[string[], string, object]>([
  [
    ['db', 'create', 'crm', '--connection-url', 'postgres://u:p@db.example/crm'],
    'POST /v1/databases',
    { name: 'crm', kind: 'postgres', connection_url: 'postgres://u:p@db.example/crm' },
  ],
  [['db', 'create', 'shop'], 'POST /v1/databases', { name: 'shop', kind: 'managed' }],
  [['db', 'create', 'name=shop', 'kind=managed'], 'POST /v1/databases', { name: 'shop', kind: 'managed' }],
  [
    [
      'webhooks',
      'create',
      '--url',
      'https://a.example/',
      '--events',
      'batch.finished',
      '--events',
      'job.finished',
    ],
    'POST /v1/webhooks',
    { url: 'https://a.example/', events: ['batch.finished', 'job.finished'] },
  ],
  [
    ['crons', 'update', 'prices', 'max_credits=500', 'sink.table=t', 'slug=null', '--database', 'shop'],
    'PUT /v1/crons/crn_1',
    { max_credits: 500, slug: null, sink: { mode: 'database', database: 'db_1', table: 't' } },
  ],
  [['crons', 'pause', 'prices'], 'PUT /v1/crons/crn_1', { enabled: false }],
  [['crons', 'update', 'prices', '--no-enabled'], 'PUT /v1/crons/crn_1', { enabled: false }],
  [['crons', 'preview', '0 6 * * *', '--json'], 'POST /v1/crons/preview', { schedule: '0 6 * * *' }],
  [
    ['crons', 'backfill', 'prices', 'from=2026-11-02', '--to', '2026-11-06T12:00:00Z'],
    'POST /v1/crons/crn_1/backfill',
    { from: '2026-11-02', to: '2026-11-06T12:00:00Z' },
  ],
  [
    [
      ...CRON,
      '-p',
      'products',
      '--page',
      'https://a.example/',
      '--database',
      'shop',
      '--table',
      't',
      '--json',
    ],
    'POST /v1/crons',
    {
      ...SCHEDULED,
      target: PARSER,
      url: 'https://a.example/',
      sink: { mode: 'database', database: 'db_1', table: 't' },
    },
  ],
  [
    [
      ...CRON,
      '--workflow',
      'site',
      '--inputs',
      'urls.csv',
      '--slug',
      's',
      '--pause-after-failures',
      '3',
      '--json',
    ],
    'POST /v1/crons',
    {
      ...SCHEDULED,
      target: { type: 'workflow', workflowId: 'wfl_1' },
      inputs: ['https://a.example/1'],
      slug: 's',
      pause_after_failures: 3,
    },
  ],
  [
    [...CRON, '--api', 'photoapp-profile', '--inputs', 'names.csv', '--catchup-seconds', '60', '--json'],
    'POST /v1/crons',
    {
      ...SCHEDULED,
      target: { type: 'api', id: 'photoapp-profile' },
      inputs: [{ username: 'nasa', count: '7' }],
      catchup_seconds: 60,
    },
  ],
  [
    [
      ...CRON,
      '-p',
      'products',
      '--feed',
      'https://a.example/rss',
      '--since',
      'last_run',
      '--paused',
      '--json',
    ],
    'POST /v1/crons',
    {
      ...SCHEDULED,
      target: PARSER,
      source: { feed: 'https://a.example/rss' },
      since: 'last_run',
      enabled: false,
    },
  ],
  [
    ['crons', 'create', '--file', 'cron.json', '--name', 'n', '--json'],
    'POST /v1/crons',
    { ...SCHEDULED, timezone: 'UTC' },
  ],
  [
    [
      'parsers',
      'create',
      'name=p',
      '--schema',
      'product.json',
      '--header',
      'Accept-Language: de',
      '--wait',
      '2',
    ],
    'POST /v1/parsers',
    {
      name: 'p',
      schema: { fields: { title: 'h1' } },
      scrape_config: { headers: { 'Accept-Language': 'de' }, waitSeconds: 2 },
    },
  ],
  [
    ['workflows', 'run', 'site', 'urls.tsv', '--json'],
    'POST /v1/workflows/wfl_1/runs',
    { urls: ['https://a.example/1'] },
  ],
  [
    ['workflows', 'run', 'site', 'https://a.example/1', 'https://a.example/2', '--json'],
    'POST /v1/workflows/wfl_1/runs',
    { urls: ['https://a.example/1', 'https://a.example/2'] },
  ],
  [
    ['workflows', 'run', 'site', 'lines', '--webhook-url', 'https://a.example/hook', '--json'],
    'POST /v1/workflows/wfl_1/runs',
    {
      inputs: [
        { url: 'https://a.example/1' },
        { url: 'https://a.example/2' },
        { url: 'https://a.example/3' },
      ],
      webhook_url: 'https://a.example/hook',
    },
  ],
  [
    ['workflows', 'run', 'site', 'table.txt', '--json'],
    'POST /v1/workflows/wfl_1/runs',
    { urls: ['https://a.example/1'] },
  ],
  [
    [
      'jobs',
      'submit',
      'username=nasa',
      'count=7',
      '--api',
      'photoapp-profile',
      '--keep-pages',
      'all',
      '--json',
    ],
    'POST /v1/jobs',
    {
      target: { type: 'api', id: 'photoapp-profile' },
      input: { username: 'nasa', count: 7 },
      keep_pages: 'all',
    },
  ],
  [
    [
      'jobs',
      'submit',
      'https://a.example/',
      '-p',
      'prs_1',
      '--parser-version',
      '2',
      '--cookie',
      'a=b',
      '--json',
    ],
    'POST /v1/jobs',
    { target: { ...PARSER, version: 2 }, url: 'https://a.example/', scrape_config: { cookies: { a: 'b' } } },
  ],
  [
    [
      'batch',
      'submit',
      '--sitemap',
      'https://a.example/s.xml',
      '-p',
      'products',
      '--since',
      '2026-03-01',
      '--json',
    ],
    'POST /v1/batches',
    { target: PARSER, source: { sitemap: 'https://a.example/s.xml' }, since: '2026-03-01' },
  ],
  [
    [
      'crawl',
      'https://a.example/',
      '--route',
      '/p/*=products',
      '--no-links',
      '--feed',
      'https://a.example/rss',
      '--max-credits',
      '5',
      '--database',
      'shop',
      '--on-drift',
      'pause',
      '--contract',
      'freeze',
      '--nulls',
      'overwrite',
      '-d',
      '--json',
    ],
    'POST /v1/crawls',
    {
      start: ['https://a.example/'],
      crawl: { sources: { links: false, feeds: ['https://a.example/rss'] } },
      limits: { credits: 5 },
      routes: [
        {
          name: 'products',
          match: ['/p/*'],
          target: PARSER,
          sink: {
            mode: 'database',
            database: 'db_1',
            table: 'products',
            on_drift: 'pause',
            contract: 'freeze',
            nulls: 'overwrite',
          },
        },
      ],
    },
  ],
])('%j sends %s', async (words, route, body) => {
  await gleaner(words);
  expect(sent).toMatchObject([{ route }]);
  expect(sent[0]?.body).toEqual(body);
});

it('--carry names the values to keep, and sends them with their addresses', async () => {
  await gleaner(['batch', 'submit', 'urls.tsv', '-p', 'products', '--carry', 'note,label=note', '--json']);
  expect(sent[0]?.text).toMatch(/name="carry"\r\n\r\n\{"note":"note","label":"note"\}/);
  expect(sent[0]?.text).toContain('{"url":"https://a.example/1","note":"first"}');
  await gleaner(['workflows', 'run', 'site', 'urls.csv', '--carry', 'all', '--json']);
  expect(sent.at(-1)?.body).toEqual({
    inputs: [{ url: 'https://a.example/1', note: 'first' }],
    carry: true,
  });
});

it('a workflow that begins with a prebuilt API takes the columns of a table as parameters', async () => {
  firstStage = { name: 'profiles', target: { type: 'api', id: 'photoapp-profile' } };
  await gleaner(['workflows', 'run', 'site', 'names.csv', '--json']);
  expect(sent[0]?.body).toEqual({ inputs: [{ username: 'nasa', count: '7' }] });
});

it.each<[string[], RegExp]>([
  [['urls.csv'], /filename="inputs\.csv"[^]*URL,note\r?\nhttps:\/\/a\.example\/1,first/],
  [['urls.tsv'], /filename="inputs\.ndjson"[^]*"https:\/\/a\.example\/1"\n/],
  [['table.txt'], /filename="inputs\.csv"/],
  [['lines'], /filename="inputs\.ndjson"[^]*\n\{"url":"https:\/\/a\.example\/3"\}/],
  [['https://a.example/1', 'https://a.example/2'], /\nhttps:\/\/a\.example\/1\nhttps:\/\/a\.example\/2\n/],
])('a batch is sent the inputs %j', async (inputs, upload) => {
  await gleaner(['batch', 'submit', ...inputs, '-p', 'products', '--keep-pages', 'sample:5', '--json']);
  expect(sent).toMatchObject([{ route: 'POST /v1/batches' }]);
  expect(sent[0]?.text).toMatch(upload);
  expect(sent[0]?.text).toMatch(/name="keep_pages"\r\n\r\nsample:5/);
});

it('crons and workflow runs take the first sheet of a spreadsheet', async () => {
  const inputs = [{ url: 'https://a.example/1', note: 'first' }];
  await gleaner([...CRON, '-p', 'products', '--inputs', 'urls.xlsx', '--carry', 'note', '--json']);
  await gleaner(['workflows', 'run', 'site', 'urls.xlsx', '--carry', 'all', '--json']);
  expect(sent.map(({ body }) => body)).toMatchObject([{ inputs }, { inputs }]);
});

it.each(['crons', 'workflows', 'batch'])(
  'what is neither a file nor an address is refused by %s',
  async (group) => {
    const words = {
      crons: [...CRON, '-p', 'products', '--inputs', 'missing.csv'],
      workflows: ['workflows', 'run', 'site', 'missing.csv'],
      batch: ['batch', 'submit', 'missing.csv', '-p', 'products'],
    }[group];
    await expect(gleaner(words ?? [])).rejects.toThrow(/"missing\.csv" is neither a file nor an address/);
    expect(sent).toEqual([]);
  },
);

it.each([
  [['batch', 'submit', 'https://a.example/'], '--parser or --api'],
  [['jobs', 'submit', 'https://a.example/'], '--parser or --api'],
  [[...CRON, '--page', 'https://a.example/'], '--parser or --api or --workflow'],
])('%j names the options that say what runs', async (words, options) => {
  await expect(gleaner(words)).rejects.toMatchObject({ hint: `Give ${options}.` });
  expect(sent).toEqual([]);
});

it('a dry run without inputs ends with 1, as the run would', async () => {
  const dry = { dry_run: true, inputs: 0, duplicates: 0, refused: [], refused_count: 0, rows: null };
  answer = ({ method }) =>
    method === 'POST' ? { ...dry, credits: { least: 0, expected: 0, most: 0 } } : undefined;
  expect(await gleaner(['batch', 'submit', 'empty.txt', '-p', 'products', '--dry-run'])).toBe(1);
  expect(written.err).toContain('it has no inputs');
});

it('a job that is watched prints its result alone', async () => {
  const job = { id: 'job_1', status: 'succeeded', result: { title: 'Kettle' }, error: null, credits_used: 1 };
  answer = ({ url }) => (url?.startsWith('/v1/jobs') === true ? job : undefined);
  expect(
    await gleaner(['jobs', 'submit', 'https://a.example/', '-p', 'products', '--watch']),
  ).toBeUndefined();
  expect(JSON.parse(written.out)).toEqual({ title: 'Kettle' });
  expect(written.err).toBe('job_1 succeeded, credits used: 1\n');
});

it('a run that is followed says why it waits, and how it ended', async () => {
  const run = {
    id: 'run_1',
    kind: 'workflow',
    status: 'running',
    paused: { reason: 'out of credits' },
    counts: { total: 2, succeeded: 1, failed: 0, cancelled: 0, waiting_for_sink: 0 },
    credits: { used: 1 },
    source: null,
    stages: [],
  };
  const ended = { ...run, status: 'succeeded', paused: null };
  answer = ({ url }, response) => {
    if (url?.endsWith('/events') !== true) return ended;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end([run, ended].map((data) => `event: progress\ndata: ${JSON.stringify(data)}\n\n`).join(''));
    return undefined;
  };
  expect(await gleaner(['runs', 'watch', 'run_1', '--json'])).toBeUndefined();
  expect(JSON.parse(written.out)).toMatchObject({ status: 'succeeded' });
  expect(written.err).toMatch(/^run_1: 50% 1\/2 .*paused: out of credits\n/);
  expect(written.err).toMatch(/\nrun_1 succeeded: 1 succeeded, 0 failed, 1 credit used\n$/);
});

it('rows say which columns they leave out, and firings what became of their runs', async () => {
  answer = ({ url = '' }) =>
    url.includes('/rows')
      ? {
          rows: [
            { title: 'a', tags: null },
            { title: 'b', tags: ['x'] },
          ],
          pagination: { cursor: null },
        }
      : url.includes('/runs')
        ? {
            runs: [
              {
                scheduled_at: 't',
                outcome: 'started',
                reason: null,
                cause: 'schedule',
                run_id: 'bat_1',
                run: { status: 'failed' },
              },
            ],
            pagination: { cursor: null },
          }
        : undefined;
  await gleaner(['db', 'rows', 'shop', 'products']);
  expect(written).toEqual({ out: 'a\nb\n', err: 'Left out: tags (--json has all columns).\n' });
  written.out = '';
  await gleaner(['crons', 'runs', 'prices']);
  expect(written.out).toBe('t\tstarted\t-\tschedule\tbat_1\tfailed\n');
});

it('a wait is said on standard error, and --no-wait does not wait', async () => {
  let calls = 0;
  answer = (_request, response) => {
    calls += 1;
    response.writeHead(503, { 'retry-after': '20', 'content-type': 'application/json' });
    response.end('{"error":"temporarily unavailable"}');
    return undefined;
  };
  await expect(gleaner(['credits', '--no-wait'])).rejects.toMatchObject({ status: 503 });
  expect({ calls, err: written.err }).toEqual({ calls: 1, err: '' });
  // Ends with this process: the test waits for the line alone.
  void gleaner(['credits', 'ledger']).catch(() => undefined);
  await expect
    .poll(() => written.err)
    .toBe(
      'The service answers 503 temporarily unavailable: trying again in 20 s (--no-wait does not wait).\n',
    );
});

it('says what a scrape ignored', async () => {
  answer = (request, response) => {
    if (request.url?.startsWith('/v1/scrape/') !== true) return undefined;
    response.setHeader('x-notes', 'hostDelaySeconds is ignored on scrapes');
    return { title: 'Lamp' };
  };
  await gleaner(['scrape', 'https://a.example/', '-p', 'prs_1', '--host-delay-seconds', '2']);
  expect(written.err).toContain('--host-delay-seconds is ignored on scrapes');
  expect(written.out).toContain('Lamp');
});
