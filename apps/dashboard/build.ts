import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/**
 * Builds the dashboard into `dist`, unless that was made of the same sources. The new folder takes the old one's place
 * in one step, so that a server never sees half of it.
 */

const here = import.meta.dirname;
const root = join(here, '../..');
const dist = join(here, 'dist');
/** All that ends up in the bundle: our own sources, and the lockfile for what others wrote. */
const SOURCES = [
  'apps/dashboard/{src,public}/**/*.*',
  'apps/dashboard/{index.html,build.ts,vite.config.ts,package.json}',
  'packages/{client,contracts,extractors,html,learn}/src/**/*.{ts,json}',
  'packages/client/{constants.ts,package.json}',
  'package-lock.json',
];
const COMPRESSED = /\.(js|css|html|svg|json)$/;
const MIN_COMPRESSED_BYTES = 1024;

function digestSources(): string {
  const hash = createHash('sha256').update(process.version);
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  for (const file of files) {
    if (/\.test\.tsx?$/.test(file) || !existsSync(join(root, file))) continue;
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Puts `.br` and `.gz` beside what browsers will ask for compressed. */
async function compressFiles(folder: string): Promise<void> {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  const names = (await readdir(folder, { recursive: true })).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const body = await readFile(path);
      if (body.length < MIN_COMPRESSED_BYTES) return;
      await writeFile(`${path}.br`, await promisify(brotliCompress)(body, options));
      await writeFile(`${path}.gz`, await promisify(gzip)(body, { level: 9 }));
    }),
  );
}

async function main(): Promise<void> {
  const digest = digestSources();
  const stamp = join(dist, '.stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  // Loaded only when it is needed: `npm start` waits for this process.
  const { build } = await import('vite');
  const made = await mkdtemp(join(here, 'dist-'));
  // Tests run this with NODE_ENV=test, which would bundle React's development build: 50 KB more, and half as fast.
  // oxlint-disable-next-line no-process-env -- Vite reads the mode from nowhere else
  process.env.NODE_ENV = 'production';
  try {
    await build({
      root: here,
      configFile: join(here, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: made, emptyOutDir: true },
    });
    await compressFiles(made);
    await writeFile(join(made, '.stamp'), digest);
    await rm(dist, { recursive: true, force: true });
    await rename(made, dist);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    // Another build at the same time may have put its own, equal folder there first.
    if (!(existsSync(stamp) && readFileSync(stamp, 'utf8') === digest)) throw error;
  }
}

await main();
