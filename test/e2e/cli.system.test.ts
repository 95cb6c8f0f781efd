import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient, type Client } from '@gleaner/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../apps/cli/src/testing/run-here.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { COMPILED, processFile } from '../system/process-file.ts';
import { useSystem } from '../system/use-system.ts';

const MAIN = processFile('cli');
const root = mkdtempSync(join(tmpdir(), 'gleaner-cli-'));

const system = useSystem();
let site: Site;
let client: Client;
let apiKey: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  site = await startSite();
  ({ apiKey } = await system.client({ credits: 100_000, concurrency: 50, requestsPerMinute: 100_000 }));
  client = createClient({ baseUrl: system.baseUrl, apiKey });
  env = {
    PATH: process.env.PATH ?? '',
    HOME: root,
    XDG_CONFIG_HOME: join(root, 'config'),
    NODE_COMPILE_CACHE: COMPILED,
    GLEANER_URL: system.baseUrl,
    GLEANER_API_KEY: apiKey,
  };
});
afterAll(async () => {
  await site.close();
  rmSync(root, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  json(): Record<string, unknown>;
}

interface RunOptions {
  /** Standard input, which only a process of its own has. */
  input?: string;
  env?: NodeJS.ProcessEnv;
}

function start(args: readonly string[], options: RunOptions = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: root, env: options.env ?? env });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return child;
}

async function runProcess(args: readonly string[], options: RunOptions = {}): Promise<Omit<Ended, 'json'>> {
  const child = start(args, options);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Commands without input run in this process, one at a time: the start of a process takes longer than most of them. */
async function gleaner(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended =
    options.input === undefined
      ? await runHere(root, options.env ?? env, args)
      : await runProcess(args, options);
  return { ...ended, json: () => JSON.parse(ended.stdout) as Record<string, unknown> };
}

const SCHEMA = { fields: { title: { css: 'h1', required: true }, price: { css: '.price', type: 'number' } } };

async function makeParser(name: string): Promise<string> {
  const { id } = await client.parsers.create({ name, schema: SCHEMA as never });
  return id;
}

test('`cat urls | gleaner batch submit --watch --csv > out.csv` is the whole job, with 300 URLs', async () => {
  await makeParser('kettles');
  const urls = Array.from({ length: 300 }, (_, index) =>
    index % 30 === 7 ? `${site.url}/missing?${index}` : `${site.url}/product?${index}`,
  );
  const input = `${urls.join('\n')}\n`;
  const args = ['batch', 'submit', '--parser', 'kettles', '--retries', '0', '--watch', '--csv'];
  const ended = await gleaner(args, { input });
  expect(ended.code, ended.stderr).toBe(0);
  const lines = ended.stdout.trim().split(/\r?\n/);
  expect(lines[0]).toBe('url,title,price');
  expect(lines).toHaveLength(291);
  expect(lines[1]).toBe(`${site.url}/product?0,Blue kettle,1234.5`);
  expect(ended.stderr).toMatch(/^bat_\w+: 300 inputs\n/);
  expect(ended.stderr).toMatch(/bat_\w+: 100% 300\/300 .*10 failed \(fetch failed 10\)/);
  expect(ended.stderr).toContain('290 succeeded, 10 failed, 290 credits used');
  expect(ended.stderr).toContain('10 × fetch failed');
});

test('a file, an output file and --strict: exit code 7 when any input failed', async () => {
  await makeParser('strict');
  const file = join(root, 'urls.csv');
  const output = join(root, 'out.ndjson');
  writeFileSync(file, `url\n${site.url}/product\n${site.url}/missing\n`);
  const args = ['batch', 'submit', file, '-p', 'strict', '--retries', '0', '-o', output, '--strict', '-q'];
  const ended = await gleaner(args);
  expect(ended).toMatchObject({ code: 7, stdout: '', stderr: '' });
  expect(
    readFileSync(output, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ url: `${site.url}/product`, data: { title: 'Blue kettle' } }]);
  const { batches } = (await gleaner(['batch', 'list', '--limit', '1', '--json'])).json() as {
    batches: { id: string }[];
  };
  const id = batches[0]?.id ?? '';
  expect((await gleaner(['batch', 'failures', id])).stdout).toBe(
    `${site.url}/missing\tfetch failed\tthe target answered with status 404\t1\n`,
  );
  const results = await gleaner(['batch', 'results', id]);
  expect(JSON.parse(results.stdout)).toMatchObject({ data: { price: 1234.5 } });
  expect((await gleaner(['batch', 'export', id])).stdout).toContain('Blue kettle');
});

test('Ctrl-C leaves the batch running and says how to come back', async () => {
  await makeParser('slow');
  const release = site.hold('/product');
  // Whatever fails here, later tests get their page.
  onTestFinished(release);
  const child = start(['batch', 'submit', '-p', 'slow', '--csv'], { input: `${site.url}/product?slow\n` });
  let stderr = '';
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await expect.poll(() => stderr).toMatch(/bat_\w+: 0% 0\/1/);
  // npm and scripts/run.mjs pass a terminal's signal on: it comes again at any time until the end.
  const again = setInterval(() => child.kill('SIGINT'), 1);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(again);
  expect(code).toBe(130);
  const [, id = '', command = ''] = /The batch (bat_\w+) continues.*\n {2}gleaner (.*)\n/.exec(stderr) ?? [];
  expect(command).toBe(`batch watch ${id} --csv`);
  expect(stdout).toBe('');
  await expect.poll(async () => (await client.batches.get(id)).status).toBe('running');
  release();
  const ended = await runProcess(command.split(' '));
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout).toContain('Blue kettle');
});

test('a dry run prices the inputs, and a wrong line is named', async () => {
  await makeParser('priced');
  const input = `${site.url}/a\n\n${site.url}/b\nnot a url\n`;
  const dry = await gleaner(['batch', 'submit', '-p', 'priced', '--dry-run', '--json', '--browser'], {
    input,
  });
  expect(dry.json()).toMatchObject({ inputs: 2, refused_count: 1, credits: { most: 10 } });
  await client.databases.create({ name: 'dry', kind: 'managed' });
  const fires = ['crons', 'create', '--name', 'daily', '--schedule', '0 6 * * *', '-p', 'priced'];
  const sink = ['--database', 'dry', '--table', 'pages', '--inputs', '-'];
  const cron = await gleaner([...fires, ...sink, '--dry-run'], { input });
  expect(cron).toMatchObject({ code: 1, stdout: expect.stringContaining('refused\t1') });
  expect(cron.stderr).toContain('input 3: not a url: is not an absolute URL');
  const broken = await gleaner(['batch', 'submit', '-p', 'priced'], { input: `${site.url}/a\n{"url":\n` });
  expect(broken).toMatchObject({ code: 1, stdout: '' });
  expect(broken.stderr).toContain('line 2 is not JSON');
  const rest = await gleaner(['batch', 'submit', '-p', 'priced', '--skip-invalid', '--json'], {
    input: `${input}{"url":\n`,
  });
  expect(rest.json()).toMatchObject({ counts: { total: 2 }, refused_count: 2 });
  expect(rest.stderr).toContain('2 invalid inputs left out.');
});

test('parsers are pulled, changed, compared and pushed as files', async () => {
  const id = await makeParser('Files & more');
  const dir = join(root, 'parsers');
  const path = join(dir, 'files-more.json');
  expect((await gleaner(['parsers', 'pull', 'Files & more', '-d', dir])).stdout).toBe(`new\t${path}\n`);
  expect((await gleaner(['parsers', 'diff', '-d', dir, '--check'])).code).toBe(0);
  const file = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  expect(file).toMatchObject({ id, version: 1, name: 'Files & more', schema: SCHEMA });
  const changed = { ...file, schema: { fields: { title: 'h1' } } };
  writeFileSync(path, JSON.stringify(changed));
  const diff = await gleaner(['parsers', 'diff', '-d', dir, '--check']);
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain(`+++ ${path}`);
  expect(diff.stdout).toMatch(/^-.*"price"/m);
  const refused = await gleaner(['parsers', 'pull', '-d', dir]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('changes that were not pushed') });
  expect((await gleaner(['parsers', 'push', '-d', dir])).stdout).toBe(`updated\t${path}\t${id}\n`);
  expect((await client.parsers.get(id)).version).toBe(2);
  expect((await gleaner(['parsers', 'push', '-d', dir])).stdout).toBe(`unchanged\t${path}\t${id}\n`);
  // Somebody else changes it: what this folder has is old.
  await client.parsers.update(id, { schema: { fields: { title: 'h2' } } });
  writeFileSync(path, JSON.stringify({ ...changed, version: 2, id, schema: { fields: { title: 'h3' } } }));
  const late = await gleaner(['parsers', 'push', '-d', dir]);
  expect(late.stderr).toContain('from version 2, and the service has version 3, which was not pushed');
  expect((await gleaner(['parsers', 'push', '-d', dir, '--force'])).code).toBe(0);
  // Another account: found by name, and created where it does not exist.
  const other = await system.client();
  const elsewhere = { ...env, GLEANER_API_KEY: other.apiKey };
  expect((await gleaner(['parsers', 'push', '-d', dir], { env: elsewhere })).stdout).toMatch(/^created\t/);
  expect(readdirSync(dir)).toEqual(['files-more.json']);
});

test('CI pushes parsers of a repository again and again, each time from a new clone', async () => {
  const committed = join(root, 'repository');
  const schemaOf = (css: string) => ({ fields: { title: css } });
  await client.parsers.create({ name: 'In git', slug: 'in-git', schema: schemaOf('h1') });
  await gleaner(['parsers', 'pull', 'in-git', '-d', committed]);
  const path = join(committed, 'in-git.json');
  const commit = (change: object): void => {
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...change }));
  };
  const pushClone = async (...flags: string[]): Promise<Ended> => {
    const clone = mkdtempSync(join(root, 'clone-'));
    cpSync(committed, clone, { recursive: true });
    return gleaner(['parsers', 'push', '-d', clone, ...flags]);
  };
  for (const css of ['h2', 'h3', 'h4']) {
    commit({ schema: schemaOf(css) });
    expect((await pushClone()).stdout).toMatch(/^updated\t/);
    expect((await pushClone()).stdout).toMatch(/^unchanged\t/);
  }
  expect(await client.parsers.get('in-git')).toMatchObject({ version: 4, schema: schemaOf('h4') });
  // A pull over what is committed and pushed loses nothing.
  expect((await gleaner(['parsers', 'pull', 'in-git', '-d', committed])).stdout).toMatch(/^updated\t/);
  // A change that is in no file is not overwritten.
  await client.parsers.update('in-git', { schema: schemaOf('.studio') });
  commit({ schema: schemaOf('h5') });
  expect(await pushClone()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not pushed from files'),
  });
  expect((await pushClone('--force')).code).toBe(0);
  commit({ schema: schemaOf('h6') });
  expect((await pushClone()).code).toBe(0);
  // The slug names it in another account too, and a hand-written file needs nothing else.
  const other = await system.client();
  writeFileSync(path, JSON.stringify({ slug: 'in-git', name: 'In git', schema: schemaOf('h1') }));
  const elsewhere = { ...env, GLEANER_API_KEY: other.apiKey };
  expect((await gleaner(['parsers', 'push', path], { env: elsewhere })).stdout).toMatch(/^created\t/);
  const renamed = { slug: 'in-git', name: 'Renamed', schema: schemaOf('h2') };
  writeFileSync(path, JSON.stringify(renamed));
  expect((await gleaner(['parsers', 'push', path], { env: elsewhere })).stdout).toMatch(/^updated\t/);
});

test('the types of a parser’s answers are written to files', async () => {
  await makeParser('Typed & more');
  const dir = join(root, 'types');
  const path = join(dir, 'typed-more.ts');
  expect((await gleaner(['parsers', 'types', 'Typed & more', '-d', dir])).stdout).toBe(`${path}\n`);
  expect(readFileSync(path, 'utf8')).toMatch(/^export interface TypedMore \{/);
  expect((await gleaner(['parsers', 'types', 'Typed & more', '--format', 'python', '-d', dir])).code).toBe(0);
  expect(readdirSync(dir)).toEqual(['typed-more.ts', 'typed_more.py']);
});

test('pages are scraped and parsed, also with a schema of a file', async () => {
  await makeParser('one');
  const schema = join(root, 'schema.json');
  writeFileSync(schema, JSON.stringify(SCHEMA));
  const scraped = await gleaner(['scrape', `${site.url}/product`, '-p', 'one']);
  expect(scraped.json()).toEqual({ title: 'Blue kettle', price: 1234.5 });
  expect(scraped.stderr).toBe('');
  const own = await gleaner(['scrape', `${site.url}/product`, '--schema', schema]);
  expect(own.json()).toEqual({ title: 'Blue kettle', price: 1234.5 });
  const input = '<h1>Red mug</h1><p class="price">12.50 EUR</p>';
  expect((await gleaner(['parse', '-p', 'one'], { input })).json()).toEqual({
    title: 'Red mug',
    price: 12.5,
  });
  const missing = await gleaner(['scrape', `${site.url}/missing`, '-p', 'one', '--retries', '0']);
  expect(missing).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('fetch failed') });
  const empty = await gleaner(['parse', '-p', 'one'], { input: '<p>nothing</p>' });
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('extraction failed') });
});

test('rows, crons and jobs: from a schedule to a table and out again', async () => {
  await makeParser('scheduled');
  expect((await gleaner(['db', 'create', 'shop', '--json'])).json()).toMatchObject({ name: 'shop' });
  const sink = ['--database', 'shop', '--table', 'kettles'];
  const cron = [
    '--name',
    'daily',
    '--schedule',
    '0 6 * * *',
    '-p',
    'scheduled',
    '--page',
    `${site.url}/product`,
  ];
  const created = await gleaner(['crons', 'create', ...cron, ...sink, '--json']);
  expect(created.json()).toMatchObject({ name: 'daily', enabled: true });
  const fed = ['--name', 'fed', '--schedule', '0 6 * * *', '-p', 'scheduled', '--feed', `${site.url}/feed`];
  const shown = (await gleaner(['crons', 'create', ...fed, ...sink, '--since', 'last_run'])).stdout;
  expect(shown).toContain(`source\t{"feed":"${site.url}/feed"}\nsince\tlast_run\n`);
  expect(shown).not.toContain('inputs');
  expect((await gleaner(['crons', 'pause', 'daily', '--json'])).json()).toMatchObject({ enabled: false });
  const fired = (await gleaner(['crons', 'trigger', 'daily', '--json'])).json();
  const watched = await gleaner(['batch', 'watch', String(fired.run_id)]);
  expect(watched.code, watched.stderr).toBe(0);
  expect((await gleaner(['crons', 'runs', 'daily'])).stdout).toContain(
    `\t${String(fired.run_id)}\tsucceeded\n`,
  );
  expect((await gleaner(['db', 'tables', 'shop'])).stdout).toMatch(/^kettles\t1\t/);
  const rows = await gleaner([
    'db',
    'rows',
    'shop',
    'kettles',
    '--filter',
    '{"price": {"gt": 1000}}',
    '--json',
  ]);
  expect(rows.json()).toMatchObject({ title: 'Blue kettle' });
  expect((await gleaner(['db', 'export', 'shop', 'kettles'])).stdout).toContain('Blue kettle');
  const job = await gleaner([
    'jobs',
    'submit',
    `${site.url}/product`,
    '-p',
    'scheduled',
    '--watch',
    '--json',
  ]);
  expect(job.json()).toMatchObject({ status: 'succeeded', result: { price: 1234.5 } });
  const result = await gleaner(['jobs', 'submit', `${site.url}/product`, '-p', 'scheduled', '--watch']);
  expect(result.json(), result.stderr).toEqual({ title: 'Blue kettle', price: 1234.5 });
  expect((await gleaner(['crons', 'preview', '0 6 * * *'])).stdout.trim().split('\n')).toHaveLength(10);
  const changed = await gleaner([
    'crons',
    'update',
    'daily',
    'slug=each-day',
    '--keep-pages',
    'all',
    '--json',
  ]);
  expect(changed.json(), changed.stderr).toMatchObject({ slug: 'each-day', keep_pages: 'all' });
  const refused = await gleaner([
    'crons',
    'create',
    '--name',
    'x',
    '--schedule',
    '0 6 * * *',
    '-p',
    'scheduled',
  ]);
  expect(refused.code).toBe(1);
  expect((await gleaner(['credits', 'ledger', '-n', '3'])).stdout.trim().split('\n')).toHaveLength(3);
});

test('a workflow of a file is pushed, run and watched', async () => {
  const parserId = await makeParser('staged');
  const file = join(root, 'workflow.json');
  const target = { type: 'parser', parserId };
  writeFileSync(file, JSON.stringify({ name: 'staged', stages: [{ name: 'pages', target }] }));
  expect((await gleaner(['workflows', 'push', file, '--json'])).json()).toMatchObject({ name: 'staged' });
  expect((await gleaner(['workflows', 'push', file])).stdout).toContain('\tstaged\tpages\t');
  const input = `${site.url}/product?w\n`;
  const run = await gleaner(['workflows', 'run', 'staged', '--watch', '--json'], { input });
  expect(run.code, run.stderr).toBe(0);
  expect(run.json()).toMatchObject({ status: 'succeeded', counts: { total: 1, succeeded: 1 } });
  expect(run.stderr).toMatch(/run_\w+: 100% 1\/1/);
  expect((await gleaner(['runs', 'list'])).stdout).toContain('\tstaged\tsucceeded\t1\t1\t0\t');
  const table = join(root, 'pages.tsv');
  writeFileSync(table, `url\tnote\n${site.url}/product?t\tfirst\n`);
  const ofTable = await gleaner(['workflows', 'run', 'staged', table, '--watch', '--json']);
  expect(ofTable.json(), ofTable.stderr).toMatchObject({ counts: { total: 1, succeeded: 1 } });
  const dry = await gleaner(['workflows', 'run', 'staged', '/dev/null', '--dry-run']);
  expect(dry.code, dry.stderr).toBe(1);
});

test('a site is crawled into a file and mapped for the next command', async () => {
  const start = `${site.url}/shop?page=1&pages=3`;
  const schema = join(root, 'item.json');
  writeFileSync(schema, JSON.stringify({ fields: { name: 'h1', stock: '.stock' } }));
  const crawl = ['crawl', start, '--route', `/item*=${schema}`, '--next', 'a.next', '--csv'];
  const crawled = await gleaner(crawl);
  expect(crawled.code, crawled.stderr).toBe(0);
  const [head, first, ...rows] = crawled.stdout.trim().split(/\r?\n/);
  expect(head).toBe('url,stage,route,name,stock');
  expect(first).toBe(`${site.url}/item?n=0,crawl,item,Item 0,in stock`);
  expect(rows).toHaveLength(23);
  const [, id = ''] = /^(run_\w+): crawl of /.exec(crawled.stderr) ?? [];
  expect(crawled.stderr).toContain(`${id} succeeded: 27 pages, 0 failed, 27 credits used`);
  expect((await gleaner(['runs', 'export', id])).stdout).toBe(crawled.stdout);
  expect((await gleaner(['runs', 'results', id, '-n', '1'])).json()).toMatchObject({ route: 'item' });
  expect((await gleaner(['crawls', 'list', '-n', '1'])).stdout).toContain(`${id}\tcrawl`);
  const mapped = await gleaner(['map', start, '--exclude', '/item?n=1*', '-q']);
  expect(mapped).toMatchObject({ code: 0, stderr: '' });
  const addresses = mapped.stdout.trim().split('\n');
  expect(addresses.slice(0, 2)).toEqual([start, `${site.url}/item?n=0`]);
  // 3 lists, and 24 items without 1 and 10 to 19.
  expect(addresses).toHaveLength(16);
  expect((await gleaner(['crawl', start, '--dry-run'])).stderr).toContain(
    '0 credits used, 1 address found\n',
  );
  const markdown = await gleaner(['crawl', `${site.url}/item?n=5`, '--scope', 'page', '--ndjson', '-q']);
  expect(markdown.json()).toMatchObject({
    route: 'pages',
    data: { markdown: expect.stringContaining('in stock') },
  });
  const wrong = await gleaner(['crawl', start, '--route', '/item*']);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('names no parser') });
});

test('login keeps a key in a private file, and a key goes to its own service alone', async () => {
  const { GLEANER_API_KEY: _, ...bare } = env;
  const without = await gleaner(['credits'], { env: bare });
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no API key') });
  const wrong = await gleaner(['login'], { env: bare, input: 'gln_nonsense\n' });
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('invalid or inactive api_key') });
  const signedIn = await gleaner(['login'], { env: bare, input: `${apiKey}\n` });
  expect(signedIn.code, signedIn.stderr).toBe(0);
  expect(signedIn.stderr + signedIn.stdout).not.toContain(apiKey);
  const path = join(root, 'config/gleaner/config.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { GLEANER_URL: __, ...nothing } = bare;
  expect((await gleaner(['credits', '--json'], { env: nothing })).json()).toMatchObject({ concurrency: 50 });
  const elsewhere = await gleaner(['credits', '--service', 'http://127.0.0.1:9'], { env: nothing });
  expect(elsewhere.stderr).toContain('There is no API key for http://127.0.0.1:9');
  expect((await gleaner(['logout'], { env: nothing })).code).toBe(0);
  expect((await gleaner(['credits'], { env: nothing })).code).toBe(1);
});

test('failures have their exit codes', async () => {
  const codeOf = async (args: readonly string[], other: NodeJS.ProcessEnv = {}): Promise<number | null> =>
    (await gleaner(args, { env: { ...env, ...other } })).code;
  expect((await runProcess(['nonsense'])).code).toBe(1);
  expect(await codeOf(['batch', 'get', 'bat_00000000000000000000000000'])).toBe(4);
  expect(await codeOf(['credits'], { GLEANER_API_KEY: 'gln_x' })).toBe(3);
  expect(await codeOf(['apis', 'call', 'videosite-video'])).toBe(1);
  const poor = await system.client({ credits: 0 });
  const schema = join(root, 'poor.json');
  writeFileSync(schema, JSON.stringify(SCHEMA));
  const args = ['scrape', `${site.url}/product`, '--schema', schema];
  expect(await codeOf(args, { GLEANER_API_KEY: poor.apiKey })).toBe(5);
  expect(await codeOf(['apis', 'list'], { GLEANER_URL: 'http://127.0.0.1:9' })).toBe(6);
});

test('a pipe gets all of a list, and errors are JSON for those who ask for it', async () => {
  const own = await system.client();
  const many = createClient({ baseUrl: system.baseUrl, apiKey: own.apiKey });
  for (let index = 0; index < 25; index += 1)
    await many.parsers.create({ name: `p${index}`, schema: { fields: { title: 'h1' } } });
  const mine = { env: { ...env, GLEANER_API_KEY: own.apiKey } };
  expect((await gleaner(['parsers', 'list'], mine)).stdout.trim().split('\n')).toHaveLength(25);
  const listed = (await gleaner(['parsers', 'list', '--json', '-n', '3'], mine)).json();
  expect(listed['parsers']).toHaveLength(3);
  const failed = await gleaner(['parsers', 'get', 'prs_00000000000000000000000000', '--json'], mine);
  expect(failed).toMatchObject({ code: 4, stdout: '' });
  expect(JSON.parse(failed.stderr)).toMatchObject({ error: 'not found', status: 404 });
  const wrong = await gleaner(['parsers', 'nonsense', '--json'], mine);
  expect(wrong.code).toBe(1);
});

test.each(['bash', 'zsh', 'fish'])(
  'completion for %s is a script',
  async (shell) => {
    const script = await runProcess(['completion', shell]);
    expect(script.code, script.stderr).toBe(0);
    expect(script.stdout).toContain('gleaner');
  },
  120_000,
);

test('completion knows commands and options', async () => {
  const suggested = await runProcess(['complete', '--', 'batch', '']);
  expect(suggested.stdout).toContain('submit');
  expect((await runProcess(['complete', '--', 'batch', 'submit', '--max'])).stdout).toContain(
    '--max-credits',
  );
});

test('a help has examples', async () => {
  const { stdout } = await gleaner(['batch', 'submit', '--help']);
  expect(stdout).toContain('$ cat urls | gleaner batch submit --parser products --watch --csv > out.csv');
  const { stdout: accounts } = await gleaner(['accounts', '--help']);
  expect(accounts).toContain('create');
});
