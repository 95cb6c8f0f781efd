import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEY_API_PROGRAM, OPENAPI_TYPESCRIPT_PROGRAM } from './client-programs.ts';
import { examplesProgram, readExamples, type DocsExample } from './docs-examples.ts';

/** What npm installs for the clients that docs/use/api.md names. They need an earlier TypeScript than ours. */
export const CLIENT_PACKAGES = [
  'typescript@5',
  '@types/node@24',
  'openapi-typescript@7',
  'openapi-fetch@0',
  '@hey-api/openapi-ts@0',
];

const DOCS = join(import.meta.dirname, '../../docs/use');

/** @returns what it printed @throws Error with that when it fails */
function runIn(folder: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/** Whether a folder has the generators and their compiler. */
export function hasGenerators(folder: string): boolean {
  return ['openapi-typescript', 'openapi-ts', 'tsc'].every((name) =>
    existsSync(join(folder, 'node_modules/.bin', name)),
  );
}

/** The program of a page that imports what @hey-api/openapi-ts made. */
function heyExample(): string {
  const page = readFileSync(join(DOCS, 'api.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.includes("'./hey/client'"));
  if (found === undefined) throw new Error('docs/use/api.md shows no program over @hey-api/openapi-ts');
  return found;
}

/** The bodies of calls that docs/use shows. @param document OpenAPI as JSON */
export function docsExamples(document: string): DocsExample[] {
  const { paths } = JSON.parse(document) as { paths: object };
  return readExamples(DOCS, new Set(Object.keys(paths)));
}

/**
 * Generates both TypeScript clients of an OpenAPI document, and compiles our programs over them and the documentation's own.
 * @param folder it has `node_modules` with CLIENT_PACKAGES; what is generated is written there
 * @throws Error with what a generator or the compiler says
 */
export function compileClients(folder: string, document: string): void {
  const bin = (name: string): string => join('node_modules/.bin', name);
  writeFileSync(join(folder, 'openapi.json'), document);
  runIn(folder, bin('openapi-typescript'), 'openapi.json', '--output', 'schema.d.ts');
  runIn(folder, bin('openapi-ts'), '--input', 'openapi.json', '--output', 'hey');
  const programs = {
    'openapi-typescript.ts': OPENAPI_TYPESCRIPT_PROGRAM,
    'examples.ts': examplesProgram(docsExamples(document)),
    'hey-api.ts': HEY_API_PROGRAM,
    'hey-docs.ts': heyExample(),
  };
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  const strict = ['--strict', '--skipLibCheck', '--noEmit', '--target', 'es2022', '--types', 'node'];
  const modules = ['--lib', 'es2022,dom,dom.iterable', '--module', 'esnext', '--moduleResolution', 'bundler'];
  runIn(folder, bin('tsc'), ...strict, ...modules, ...Object.keys(programs));
}
