import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildClient } from '../../scripts/client/build-client.ts';
import type { Client } from '../../packages/client/src/client.ts';
import type * as Exported from '../../packages/client/src/index.ts';

/** The whole client with its one dependency, minified, as a browser gets it. */
const MOST_GZIP_BYTES = 15 * 1024;

/** Not the one that npm brings for the project. */
const SYSTEM_NODE = '/usr/bin/node';

const folder = mkdtempSync(join(tmpdir(), 'gleaner-client-'));
const built = join(folder, 'package');
const modules = join(import.meta.dirname, '../../node_modules');

beforeAll(() => buildClient(built));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('publint finds nothing to mend', async () => {
  const { messages } = await publint({ pkgDir: built, strict: true, pack: false });
  expect(messages).toEqual([]);
});

test('its types resolve as its code does, in Node and in bundlers', async () => {
  const packed = spawnSync('npm', ['pack', '--pack-destination', folder, built], { encoding: 'utf8' });
  expect(packed.status, packed.stderr).toBe(0);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const result = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, tarball))));
  expect(result.types).toMatchObject({ kind: 'included' });
  const problems = 'problems' in result ? result.problems : [];
  // Modules alone: CommonJS requires them from Node 22 on.
  const ours = problems.filter(({ kind }) => kind !== 'CJSResolvesToESM');
  expect(ours).toEqual([]);
});

async function bundle(format: 'es' | 'iife'): Promise<{ code: string; imports: string[] }> {
  const source = await rolldown({
    input: join(built, 'index.js'),
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], modules: [modules] },
  });
  const { output } = await source.generate({ minify: true, format, name: 'gleaner' });
  return output[0];
}

test('it brings no zod, no contracts and no Node module along, and is small', async () => {
  const names = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(js|d\.ts)$/.test(name),
  );
  for (const name of names) {
    const imported = readFileSync(join(built, name), 'utf8').matchAll(/\bfrom ['"]([^'"]+)['"]/g);
    for (const [, specifier = ''] of imported) expect(specifier, name).toMatch(/^\.{1,2}\/[^']+\.js$/);
  }
  const { code, imports } = await bundle('es');
  expect(imports).toEqual([]);
  expect(gzipSync(code).length).toBeLessThan(MOST_GZIP_BYTES);
});

describe('packed in a clone', () => {
  const clone = join(folder, 'clone');
  const user = join(folder, 'user');
  const run = (command: string, args: readonly string[], cwd: string): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout.trim();
  };

  beforeAll(() => {
    const root = join(import.meta.dirname, '../..');
    // A copy, as packing changes the manifest for a moment.
    for (const part of ['packages/client', 'scripts', 'tsconfig.json', 'LICENSE'])
      cpSync(join(root, part), join(clone, part), {
        recursive: true,
        filter: (path) => !/[/]client[/](dist|node_modules)$/.test(path),
      });
    symlinkSync(modules, join(clone, 'node_modules'));
    const own = join(clone, 'packages/client/package.json');
    const before = readFileSync(own, 'utf8');
    run('npm', ['pack', '--pack-destination', clone], join(clone, 'packages/client'));
    expect(readFileSync(own, 'utf8')).toBe(before);
    mkdirSync(user);
    const [tarball = ''] = readdirSync(clone).filter((name) => name.endsWith('.tgz'));
    run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(clone, tarball)], user);
  });

  const program = `import { createClient, isGleanerError } from '@gleaner/client';
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', retries: 0 });
    const failure = await client.credits.get().catch((error) => error);
    console.log(isGleanerError(failure), typeof client.parsers.list);`;

  test('it holds JavaScript and its types, and no TypeScript', () => {
    const names = readdirSync(join(user, 'node_modules/@gleaner/client'), { recursive: true }).map(String);
    expect(names).toContain('dist/index.js');
    expect(names).toContain('dist/index.d.ts');
    expect(names.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([]);
  });

  test('it runs in Node 24', () => {
    expect(run(process.execPath, ['--input-type=module', '--eval', program], user)).toBe('true function');
  });

  // Without such a file the run has no status.
  const version = spawnSync(SYSTEM_NODE, ['--print', 'process.versions.node'], { encoding: 'utf8' });
  const has20 = version.status === 0 && version.stdout.startsWith('20.');
  test.skipIf(!has20)('it runs in Node 20', { meta: { missing: `Node 20 at ${SYSTEM_NODE}` } }, () => {
    expect(run(SYSTEM_NODE, ['--input-type=module', '--eval', program], user)).toBe('true function');
  });
});

test('it compiles in a strict program that checks its declarations, without Node’s types', () => {
  const program = join(folder, 'program');
  mkdirSync(join(program, 'node_modules', '@gleaner'), { recursive: true });
  symlinkSync(built, join(program, 'node_modules', '@gleaner', 'client'));
  writeFileSync(
    join(program, 'main.ts'),
    `import { createClient, defineParser } from '@gleaner/client';
    const client = createClient({ baseUrl: '' });
    const schema = defineParser({ fields: { price: { css: 'b', type: 'number', required: true } } });
    export const price: Promise<number> = client.scrape(schema, 'https://a.example/').then((data) => data.price);
    // @ts-expect-error a number is no text
    export const text: Promise<string> = client.scrape(schema, 'https://a.example/').then((data) => data.price);`,
  );
  for (const module of ['nodenext', 'esnext']) {
    const settings = {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
        module,
        moduleResolution: module === 'esnext' ? 'bundler' : module,
        types: [],
        preserveSymlinks: true,
      },
      files: ['main.ts'],
    };
    writeFileSync(join(program, 'package.json'), '{"type": "module"}');
    writeFileSync(join(program, 'tsconfig.json'), JSON.stringify(settings));
    const tsc = spawnSync(join(modules, '.bin', 'tsc'), ['-p', program], { encoding: 'utf8' });
    expect(tsc.stdout).toBe('');
    expect(tsc.status).toBe(0);
  }
});

describe('where there is nothing but the web’s interfaces', () => {
  /** What browsers and edge runtimes have alike. */
  const web = {
    AbortController,
    AbortSignal,
    atob,
    Blob,
    crypto,
    DOMException,
    File,
    Headers,
    ReadableStream,
    Response,
    setTimeout,
    clearTimeout,
    TextDecoder,
    TextEncoder,
    Uint8Array,
    URL,
    URLSearchParams,
  };
  const batch = { target: { type: 'parser', parserId: 'prs_1' } } as const;

  /** The client in a realm of its own, and what it sent. */
  async function open(
    more: object,
  ): Promise<{ client: Client; sent: RequestInit[]; gleaner: typeof Exported }> {
    const sent: RequestInit[] = [];
    const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
      sent.push(init);
      if (init.body instanceof ReadableStream) await new Response(init.body).text();
      return Response.json({ id: 'bat_1', creditBalance: 7 });
    };
    const context = createContext({ ...web, ...more, fetch });
    const { code } = await bundle('iife');
    const gleaner = runInContext(`${code}; gleaner`, context) as typeof Exported;
    return { client: gleaner.createClient({ baseUrl: 'https://a.example', apiKey: 'k' }), sent, gleaner };
  }

  test('it calls, streams uploads and verifies webhooks', async () => {
    const { client, sent, gleaner } = await open({});
    expect((await client.credits.get()).creditBalance).toBe(7);
    await client.batches.upload(batch, ['https://a.example/']);
    expect(sent[1]?.body).toBeInstanceOf(ReadableStream);
    expect(sent[1]).toMatchObject({ duplex: 'half' });
    const at = new Date();
    const headers = {
      'webhook-id': 'dlv_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook('whsec_c2VjcmV0').sign('dlv_1', at, '{"type":"x"}'),
    };
    expect(await gleaner.verifyWebhook('{"type":"x"}', headers, 'whsec_c2VjcmV0')).toMatchObject({
      type: 'x',
    });
    const refused = gleaner.verifyWebhook('{}', headers, 'whsec_c2VjcmV0');
    await expect(refused).rejects.toMatchObject({ code: 'invalid webhook' });
  });

  test('it collects uploads in a browser, which can’t stream them', async () => {
    const { client, sent } = await open({ document: {} });
    await client.batches.upload(batch, ['https://a.example/']);
    const body = sent[0]?.body;
    expect(body).toBeInstanceOf(Blob);
    expect(await (body as Blob).text()).toContain('"https://a.example/"\n');
  });
});
