import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { COMPILED, processFile } from '../system/process-file.ts';
import { startSite, type Site } from '../system/start-site.ts';
import { useSystem } from '../system/use-system.ts';

const system = useSystem();
const folder = mkdtempSync(join(tmpdir(), 'gleaner-door-'));
let site: Site;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  site = await startSite();
  const { apiKey, call } = await system.client();
  await call('POST', '/v1/parsers', { name: 'kettles', schema: { fields: { title: 'h1' } } });
  env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    NODE_COMPILE_CACHE: COMPILED,
    GLEANER_URL: system.baseUrl,
    GLEANER_API_KEY: apiKey,
  };
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

async function gleaner(
  words: readonly string[],
  input = '',
): Promise<{ code: number | null; stdout: string }> {
  const child = spawn(process.execPath, [processFile('cli'), ...words], { cwd: folder, env });
  child.stdin.end(input);
  const [stdout, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'close') as Promise<[number | null]>,
    text(child.stderr),
  ]);
  return { code, stdout };
}

it('scrapes a page and sends a batch to the end from a shell', async () => {
  const scraped = await gleaner(['scrape', `${site.url}/product`, '--parser', 'kettles']);
  expect(scraped.code).toBe(0);
  expect(scraped.stdout).toContain('Blue kettle');
  const words = ['batch', 'submit', '--parser', 'kettles', '--watch', '--csv'];
  const batch = await gleaner(words, `${site.url}/product?1\n${site.url}/product?2\n`);
  expect(batch.code).toBe(0);
  expect(batch.stdout.trim().split(/\r?\n/)).toEqual([
    'url,title',
    `${site.url}/product?1,Blue kettle`,
    `${site.url}/product?2,Blue kettle`,
  ]);
});
