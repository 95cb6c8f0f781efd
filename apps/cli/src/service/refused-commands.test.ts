import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@gleaner/contracts';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeError, type Described } from '../describe-error.ts';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { buildProgram } from '../program.ts';

/** They work on this machine alone, or ask for a key. */
const WITHOUT_SERVICE = new Set(['parsers test', 'login', 'logout']);

const folder = mkdtempSync(join(tmpdir(), 'gleaner-refused-'));
const before = { cwd: process.cwd(), env: { ...process.env } };
const servers: Server[] = [];

beforeAll(() => {
  const parser = JSON.stringify({ name: 'products', schema: { fields: { title: 'h1' } } });
  mkdirSync(join(folder, 'parsers'));
  writeFileSync(join(folder, 'parsers/products.json'), parser);
  writeFileSync(join(folder, 'product.json'), parser);
  writeFileSync(join(folder, 'page.html'), '<h1>Blue kettle</h1>');
  writeFileSync(join(folder, 'urls.txt'), 'https://shop.example/p/1\n');
  writeFileSync(join(folder, 'names.csv'), 'username\nnasa\n');
  writeFileSync(join(folder, 'shop.json'), JSON.stringify({ name: 'shop', stages: [] }));
  process.chdir(folder);
  process.env['XDG_CONFIG_HOME'] = folder;
  process.env['GLEANER_DATA_DIR'] = join(folder, 'none');
  process.env['GLEANER_API_KEY'] = 'gln_wrong';
});
afterAll(() => {
  process.chdir(before.cwd);
  process.env = before.env;
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The address of a server on this machine. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The commands that call a service, each with the words of an example from its help. */
function exampleCalls(command: Command, path: readonly string[] = []): { path: string; words: string[] }[] {
  const below = command.commands.flatMap((child) => exampleCalls(child, [...path, child.name()]));
  const name = path.join(' ');
  if (!command.options.some(({ long }) => long === '--service') || WITHOUT_SERVICE.has(name)) return below;
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const [, example = ''] = new RegExp(`^ {2}\\$ gleaner (${name}(?: .*)?)$`, 'm').exec(help) ?? [];
  const words = example.replace(/ [>|#].*$/, '').match(/'[^']*'|\S+/g) ?? [];
  return [{ path: name, words: words.map((word) => word.replaceAll("'", '')) }, ...below];
}

/** What a person sees of a call that fails: the exit code and the text on standard error. */
async function run(words: readonly string[]): Promise<Described> {
  try {
    const program = await buildProgram(words);
    await program.parseAsync(words, { from: 'user' });
    return { code: 0, text: '' };
  } catch (error) {
    return error instanceof ExitCode ? { code: error.code, text: '' } : await describeError(error);
  }
}

/** The commands that did not fail with this code and one sentence, and a hint below. */
async function faultsAgainst(url: string, { code, text }: { code: number; text: RegExp }): Promise<string[]> {
  process.env['GLEANER_URL'] = url;
  const program = await buildProgram([]);
  const calls = exampleCalls(program);
  expect(calls.length).toBeGreaterThan(80);
  const outcomes = calls.map(async ({ path, words }) => {
    const ended = await run(words);
    return ended.code === code && text.test(ended.text) ? [] : [`${path}: ${ended.code}: ${ended.text}`];
  });
  return (await Promise.all(outcomes)).flat();
}

it('every command says that its key is refused', async () => {
  const body = JSON.stringify(new AppError('unauthorized').toBody());
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' }).end(body);
  });
  const faults = await faultsAgainst(url, {
    code: EXIT.unauthorized,
    text: /^invalid or inactive api_key\n {2}→ [^\n]+$/,
  });
  expect(faults).toEqual([]);
});

// A command that follows a run would wait for five minutes.
it('every command says that no service answers', async () => {
  const faults = await faultsAgainst('http://127.0.0.1:9', {
    code: EXIT.unavailable,
    text: /^no answer: [^\n]+\n {2}→ Check that the service runs[^\n]+$/,
  });
  expect(faults).toEqual([]);
});

it.each([200, 404])('every command says that a server is not Gleaner when it answers %s', async (status) => {
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html>\n<h1>It works!</h1>\n');
  });
  const faults = await faultsAgainst(url, {
    code: EXIT.notFound,
    text: /^unexpected answer: [^\n]+\n {2}→ [^\n]*is not a Gleaner[^\n]*$/,
  });
  expect(faults).toEqual([]);
});

/** Commands that name a record. */
const UNKNOWN = [
  'parsers get nope',
  'parsers update nope name=x',
  'parsers types nope',
  'scrape https://shop.example/ -p nope',
  'parse page.html -p nope',
  'batch submit urls.txt -p nope',
  'jobs submit https://shop.example/ -p nope',
  'crawl https://shop.example/ --route /p/*=nope',
  'batch submit urls.txt -p prs_1 --database nope --table t',
  'db tables nope',
  'changes nope.t',
  'workflows get nope',
  'workflows run nope urls.txt',
  'crons get nope',
  'crons trigger nope',
  'crons create --name n --schedule * -p nope --page https://shop.example/',
];

it.each(UNKNOWN)('%s: no record has the name', async (words) => {
  process.env['GLEANER_URL'] = await serve((request, response) => {
    request.resume();
    const list = (request.url ?? '').split(/[/?]/)[2] ?? '';
    const page = JSON.stringify({ [list]: [], pagination: { cursor: null } });
    response.writeHead(200, { 'content-type': 'application/json' }).end(page);
  });
  const ended = await run(words.split(' '));
  expect(ended).toMatchObject({
    code: EXIT.notFound,
    text: expect.stringMatching(/^not found: there is no \w+ with the slug or name "nope"\n {2}→ [^\n]+$/),
    body: { error: 'not found', status: 404, hint: expect.stringMatching(/works as well\.$/) },
  });
});

it('no command sends its key to where a server redirects it', async () => {
  const keys: unknown[] = [];
  const other = await serve((request, response) => {
    keys.push(request.headers['x-api-key']);
    request.resume();
    response.end('{}');
  });
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(307, { location: `${other}${request.url ?? ''}` }).end();
  });
  const faults = await faultsAgainst(url, {
    code: EXIT.notFound,
    text: /^unexpected answer: it redirects to http:[^\n]+\n {2}→ [^\n]*is not a Gleaner[^\n]*$/,
  });
  expect(faults).toEqual([]);
  expect(keys).toEqual([]);
});
