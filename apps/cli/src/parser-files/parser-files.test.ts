import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { writeParserTypes } from './parser-types.ts';
import { pullParsers } from './push-parsers.ts';

const HOSTILE = [
  '../../up',
  '/tmp/gleaner-root',
  'a/../../../up',
  '..',
  '.',
  'a\0b',
  String.raw`..\up`,
  '',
  '~',
];

/** A service whose records have any slug, id and name. */
async function serve(): Promise<string> {
  const parsers = HOSTILE.flatMap((text, index) =>
    ['', '/../..', '/../up'].map((end) => ({
      id: `prs_${index}${end}`,
      slug: text,
      name: text,
      version: 1,
      description: null,
      scrape_config: {},
      schema: { fields: {} },
    })),
  );
  const server = createServer((request, response) => {
    const [, , , id, what] = (request.url ?? '').split(/[/?]/);
    const found = parsers.find((parser) => parser.id === decodeURIComponent(id ?? ''));
    const body =
      what === 'output' ? 'types' : JSON.stringify(found ?? { parsers, pagination: { cursor: null } });
    response.setHeader('content-type', 'application/json');
    response.end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('files of parsers are in their folder, whatever the service calls them', async () => {
  const root = mkdtempSync(join(tmpdir(), 'gleaner-files-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  vi.stubEnv('GLEANER_API_KEY', 'gln_key');
  vi.stubEnv('GLEANER_URL', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const service = await serve();
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  await pullParsers([], { service, dir: join(root, 'a/b/pulled') });
  await writeParserTypes([], { service, dir: join(root, 'a/b/types'), format: 'typescript' });
  const files = readdirSync(root, { recursive: true })
    .map(String)
    .filter((path) => /\.(json|ts)$/.test(path));
  expect(files.length).toBeGreaterThan(HOSTILE.length);
  expect(files.filter((path) => !/^a\/b\/(pulled|types)\/[a-z0-9-]+\.(json|ts)$/.test(path))).toEqual([]);
});
