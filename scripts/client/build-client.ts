import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { contractsAsConstants } from '../../packages/client/constants.ts';
import { root } from '../source-files.ts';
import { writeClientTypes } from './write-types.ts';

const source = join(root, 'packages', 'client');
const manifest = join(source, 'package.json');

/** Imports of declarations name the `.ts` file, which is not published. */
function nameJavaScript(declarations: string): string {
  return declarations.replaceAll(/(\bfrom |\bimport\()'(\.[^']+)\.ts'/g, "$1'$2.js'");
}

/**
 * The manifest as it is published: it points to what was built, and names no tool and no package, as the one that the
 * client uses is in its bundle.
 * @param built the folder of what was built, seen from the manifest
 */
function publishedManifest(text: string, built: string): string {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _tools,
    dependencies: _bundled,
    exports: _source,
    ...rest
  } = JSON.parse(text) as {
    [name: string]: unknown;
  };
  const [types, code] = [`${built}/index.d.ts`, `${built}/index.js`];
  const published = {
    ...rest,
    // For resolvers that know no `exports`.
    main: code,
    types,
    exports: { '.': { types, default: code }, './package.json': './package.json' },
    files: [`${built}/**/*.js`, `${built}/**/*.d.ts`, `${built}/LICENSE`],
    engines: { node: '>=20' },
    publishConfig: { access: 'public' },
  };
  return `${JSON.stringify(published, null, 2)}\n`;
}

/** Makes one file of the compiled modules and the package that they use. */
async function bundleInPlace(folder: string): Promise<void> {
  const input = join(folder, 'index.js');
  const bundle = await rolldown({
    input,
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], modules: [join(root, 'node_modules')] },
  });
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false });
  for (const path of globSync(join(folder, '**/*.js'))) rmSync(path);
  writeFileSync(input, output[0].code);
}

/** Files of the sources that are no part of the package: tests, and what reads the contracts. */
const LEFT_OUT = /\.test\.ts$|[/](list-routes|place-of)\.ts$/;

/** The sources as they are published: with the types of all operations, and values in place of the contracts. */
function copySources(folder: string): void {
  cpSync(join(source, 'src'), folder, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  writeFileSync(join(folder, 'contracts.ts'), contractsAsConstants());
  writeClientTypes(folder);
}

function compile(sources: string, folder: string): void {
  const settings = join(sources, 'tsconfig.json');
  writeFileSync(
    settings,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        outDir: folder,
        rootDir: sources,
        target: 'es2022',
        // Nothing of Node's: what is published runs in browsers and edge runtimes.
        types: [],
        allowImportingTsExtensions: false,
        rewriteRelativeImportExtensions: true,
      },
      include: [sources],
      exclude: [],
    }),
  );
  const tsc = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', settings], { encoding: 'utf8' });
  if (tsc.status !== 0) throw new Error(`the client does not compile:\n${tsc.stdout}${tsc.stderr}`);
}

/** Compiles `@gleaner/client` into a folder that `npm publish` takes as it is. */
export async function buildClient(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Beside the sources, where the compiler finds the package that they use.
  const sources = mkdtempSync(join(source, 'dist-'));
  try {
    copySources(sources);
    compile(sources, folder);
  } finally {
    rmSync(sources, { recursive: true });
  }
  for (const path of globSync(join(folder, '**/*.d.ts'))) {
    writeFileSync(path, nameJavaScript(readFileSync(path, 'utf8')));
  }
  await bundleInPlace(folder);
  writeFileSync(join(folder, 'package.json'), publishedManifest(readFileSync(manifest, 'utf8'), '.'));
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  const licences = [join(root, 'LICENSE'), join(root, 'node_modules/eventsource-parser/LICENSE')];
  writeFileSync(
    join(folder, 'LICENSE'),
    licences.map((path) => readFileSync(path, 'utf8')).join('\n\neventsource-parser, in index.js:\n\n'),
  );
}

/** The manifest of the sources, while `npm pack` reads that of the package in its place. */
const kept = join(source, 'dist', 'source.json');

/** What `npm pack` calls first: the sources are TypeScript, which Node does not run inside node_modules. */
async function beforePack(): Promise<void> {
  afterPack();
  const text = readFileSync(manifest, 'utf8');
  await buildClient(join(source, 'dist'));
  writeFileSync(kept, text);
  writeFileSync(manifest, publishedManifest(text, './dist'));
}

/** What `npm pack` calls last, and the next one first, when this one was stopped. */
function afterPack(): void {
  if (!existsSync(kept)) return;
  copyFileSync(kept, manifest);
  rmSync(kept);
}

const STEPS: Readonly<Record<string, () => void | Promise<void>>> = {
  prepack: beforePack,
  postpack: afterPack,
};

if (import.meta.main) {
  const [word = join(source, 'dist')] = process.argv.slice(2);
  const folder = resolve(word);
  const step = STEPS[word];
  if (step) await step();
  else await buildClient(folder);
  // Not on standard output: `npm pack --json` prints there.
  if (!step) console.log(`built ${folder}; publish it with: npm publish ${folder}`);
}
