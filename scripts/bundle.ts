import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { SourceMapPayload } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import { RolldownMagicString, rolldown, type Plugin } from 'rolldown';
import { OPERATIONS } from '../apps/cli/src/service/operations/operations.ts';
import { PROCESS_ENTRIES } from '../apps/cli/src/start/entry-file.ts';
import { CONTRACTS_MODULE, contractsAsConstants } from '../packages/client/constants.ts';
import { ENGINE } from '../packages/db/src/engine/engine-schema.ts';
import { digestSources, dist, DIGEST_FILE, isBundled } from './bundle-sources.mjs';
import { EXTERNAL_PACKAGES } from './packages/external-packages.ts';
import { root } from './source-files.ts';

/**
 * Bundles the processes into `dist`, unless that was made of the same sources. Node links hundreds of modules slowly
 * and its heap grows while it does so: an API that runs from one file takes half the memory and starts in half the
 * time (docs/build/decisions/091). Tests and development run the sources as they are.
 */

const ENTRIES: Record<string, string> = {
  ...PROCESS_ENTRIES,
  cli: 'apps/cli/src/main.ts',
  thread: 'packages/threads/src/thread.ts',
  pdf: 'packages/threads/src/pdf.thread.ts',
  sheet: 'packages/core/src/storage/sheets/sheet.thread.ts',
  'external-thread': 'packages/core/src/storage/external/external.thread.ts',
  watchdog: 'packages/core/src/platform/process/watchdog.thread.ts',
};

/** In a bundle, `import.meta.dirname` is `dist`. Sources that look for a file beside them get their own folder. */
const ownFolders: Plugin = {
  name: 'own-folders',
  transform: {
    filter: { id: /\/(apps|packages)\/[^/]+\/src\/.*\.ts$/, code: /import\.meta\.dirname/ },
    handler(code, id) {
      const folder = relative(dist, dirname(id)).split(sep);
      const text = new RolldownMagicString(code);
      text.replaceAll(
        'import.meta.dirname',
        `process.getBuiltinModule('node:path').join(import.meta.dirname, ${JSON.stringify(folder.join('/'))})`,
      );
      return { code: text };
    },
  },
};

/** What the command line knows of the operations is a constant of the bundle: a command that is called loads no schema. */
const operationsOfCommands: Plugin = {
  name: 'operations-of-commands',
  load: {
    filter: { id: /\/apps\/cli\/src\/service\/operations\/operations\.ts$/ },
    handler: () => ({ code: `export const OPERATIONS = ${JSON.stringify(OPERATIONS)};`, moduleType: 'js' }),
  },
};

/** What the client knows of them, too. */
const contractsOfClient: Plugin = {
  name: 'contracts-of-client',
  load: {
    filter: { id: CONTRACTS_MODULE },
    handler: () => ({ code: contractsAsConstants(), moduleType: 'ts' }),
  },
};

/** GLEANER_COMMIT is for builds without git's folder, such as the image's. */
function readCommit(): string | null {
  if (process.env.GLEANER_COMMIT) return process.env.GLEANER_COMMIT;
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

/** What a process of this bundle is: packages/db/src/engine/engine-schema.ts and core's version.ts read it. */
function readFacts(): Record<string, string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    BUNDLED_ENGINE_SCHEMA: JSON.stringify(ENGINE),
    BUNDLED_VERSION: JSON.stringify({ version, commit: readCommit() }),
  };
}

/** Keeps one position for each line of a source: a position of each token takes five times the memory. */
function keepLines(mappings: string): string {
  const lines = decode(mappings).map((positions) =>
    positions
      .filter(([, file, line], at) => file !== positions[at - 1]?.[1] || line !== positions[at - 1]?.[2])
      // Without the names, which are those of the bundle.
      .map(([column, file, line, at]) => (file === undefined ? [column] : [column, file, line, at])),
  );
  return encode(lines as SourceMapMappings);
}

/**
 * A process reads the source maps of its files when it starts and keeps them, parsed after its first stack trace (pino
 * takes one). So they hold our own lines alone, without the sources' text: a stack trace names the TypeScript file and
 * line, or the bundle's line of a package.
 */
const ownMaps: Plugin = {
  name: 'own-maps',
  transform: {
    filter: { id: /\/node_modules\// },
    handler: (code) => ({ code, map: { mappings: '' } }),
  },
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.map')) continue;
      const { sourcesContent: _text, ...map } = JSON.parse(String(file.source)) as SourceMapPayload;
      file.source = JSON.stringify({ ...map, names: [], mappings: keepLines(map.mappings) });
    }
  },
};

async function bundle(folder: string, digest: string): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(root, file)])),
    cwd: root,
    platform: 'node',
    external: (id) => EXTERNAL_PACKAGES.test(id),
    // Otherwise a warning: the import would stay, and fail when the process starts.
    onLog: (level, log, handle) => {
      handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
    },
    transform: { define: { ...readFacts(), BUNDLED_SOURCES: JSON.stringify(digest) } },
    plugins: [operationsOfCommands, contractsOfClient, ownFolders, ownMaps],
  });
  await build.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    // V8 keeps the text of what it loaded, in two bytes a character where one of them needs two. Names stay as they are.
    charset: 'ascii',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
    codeSplitting: {
      // Without these groups a package lands in the chunk of whichever process uses most of it.
      groups: [
        // Apart from the schemas, which the command line mostly needs not.
        { name: 'zod', test: /node_modules\/zod\//, priority: 1 },
        // Contracts and the HTML engine both read selectors.
        { name: 'css-what', test: /node_modules\/css-what\//, priority: 1 },
        // What the supervisor needs of the contracts.
        { name: 'values', test: /packages\/contracts\/src\/(?:values|waiting)/, priority: 1 },
        // What the pool's threads need of the contracts.
        {
          name: 'parser-schema',
          test: /packages\/contracts\/src\/(?:errors|fields|parser-schema|text)/,
          priority: 1,
        },
        { name: 'contracts', test: /packages\/contracts\/src/ },
        { name: 'html', test: /packages\/html\/src/ },
      ],
    },
    // All in one folder: `entryFile` and the pool's thread look beside themselves.
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
  });
  await build.close();
}

if (!isBundled()) {
  const digest = digestSources();
  const made = await mkdtemp(join(root, 'dist-'));
  await bundle(made, digest);
  await writeFile(join(made, 'package.json'), '{"type": "module"}\n');
  await writeFile(join(made, DIGEST_FILE), digest);
  // mkdtemp makes a private folder; in the image another user runs the processes.
  await chmod(made, 0o755);
  const old = `${made}-old`;
  // Another process may have bundled the same sources meanwhile; its processes load chunks from that folder.
  if (!isBundled()) {
    if (existsSync(dist)) await rename(dist, old);
    await rename(made, dist);
  }
  for (const folder of [made, old]) await rm(folder, { recursive: true, force: true });
}
