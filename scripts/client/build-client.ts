import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../source-files.ts';

const source = join(root, 'packages', 'client');

/** Imports of declarations name the `.ts` file, which is not published. */
function nameJavaScript(declarations: string): string {
  return declarations.replaceAll(/(\bfrom |\bimport\()'(\.[^']+)\.ts'/g, "$1'$2.js'");
}

/** The manifest as it is published: it points to what was built, and names no tool. */
function publishedManifest(text: string): object {
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _tools,
    exports: _source,
    ...rest
  } = JSON.parse(text) as {
    [name: string]: unknown;
  };
  return {
    ...rest,
    // For resolvers that know no `exports`.
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    engines: { node: '>=22.12' },
    publishConfig: { access: 'public' },
  };
}

/** Compiles `@gleaner/client` into a folder that `npm publish` takes as it is. */
export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const settings = join(folder, 'tsconfig.json');
  writeFileSync(
    settings,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        outDir: folder,
        rootDir: join(source, 'src'),
        target: 'es2022',
        // Nothing of Node's: what is published runs in browsers and edge runtimes.
        types: [],
        allowImportingTsExtensions: false,
        rewriteRelativeImportExtensions: true,
      },
      include: [join(source, 'src')],
      exclude: [join(source, 'src/**/*.test.ts')],
    }),
  );
  const tsc = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', settings], { encoding: 'utf8' });
  if (tsc.status !== 0) throw new Error(`the client does not compile:\n${tsc.stdout}${tsc.stderr}`);
  rmSync(settings);
  for (const path of globSync(join(folder, '**/*.d.ts'))) {
    writeFileSync(path, nameJavaScript(readFileSync(path, 'utf8')));
  }
  const manifest = publishedManifest(readFileSync(join(source, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(source, 'dist'));
  buildClient(folder);
  console.log(`built ${folder}; publish it with: npm publish ${folder}`);
}
