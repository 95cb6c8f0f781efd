import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault } from '../fault.ts';

/**
 * Creates the data folder and checks that it is writable.
 * @returns its absolute path
 */
export function openDataFolder(dir: string): string {
  const folder = resolve(dir);
  const probe = resolve(folder, `.write-probe-${process.pid}`);
  try {
    // When started by root, the database server runs as another user, which must traverse the folder.
    makeFolder(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Fault(
      `The data folder ${folder} can't be written (${reason}).`,
      'Make it writable for this user, or set GLEANER_DATA_DIR to another folder.',
    );
  }
  return folder;
}

/** Replaces mkdir's `recursive`, which never returns under /proc in Node 24. */
function makeFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  mkdirSync(folder, { mode });
}
