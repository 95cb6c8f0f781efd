import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { isAlive, startId } from '@gleaner/embedded-postgres/process-facts';

const holderSchema = z.object({
  pid: z.number().int(),
  started: z.string(),
  /** A `command` holds the folder briefly, to run the database for itself. */
  role: z.enum(['service', 'command']),
});

export type LockHolder = z.infer<typeof holderSchema>;

export interface FolderLock {
  release: () => void;
}

function lockPath(dataDir: string): string {
  return join(dataDir, 'lock.json');
}

function readHolder(path: string): LockHolder | undefined {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function isHeld(holder: LockHolder | undefined): holder is LockHolder {
  return holder !== undefined && isAlive(holder.pid) && startId(holder.pid) === holder.started;
}

/** The process that holds the data folder; undefined if there is none or it was killed. */
export function findHolder(dataDir: string): LockHolder | undefined {
  const holder = readHolder(lockPath(dataDir));
  return isHeld(holder) ? holder : undefined;
}

/**
 * Locks the data folder for this process. A killed holder loses its lock: process ids are checked together with their
 * start time. Waits while a command holds the folder. Node has no file locks (flock), so the lock is a hard link.
 * @throws Fault that names the service that runs on the folder
 */
export async function lockFolder(
  dataDir: string,
  role: LockHolder['role'],
  waitMs = 30_000,
): Promise<FolderLock> {
  const until = Date.now() + waitMs;
  for (;;) {
    if (tryLock(dataDir, role)) return { release: () => rmSync(lockPath(dataDir), { force: true }) };
    const holder = findHolder(dataDir);
    if (holder?.role === 'service' || (holder && Date.now() > until)) {
      throw new Fault(
        `Gleaner already runs on the data folder ${dataDir} (pid ${holder.pid}).`,
        `Stop it with: kill ${holder.pid} or use another folder: GLEANER_DATA_DIR=… PORT=…`,
      );
    }
    await sleep(50);
  }
}

function tryLock(dataDir: string, role: LockHolder['role']): boolean {
  const path = lockPath(dataDir);
  const mine = `${path}.${process.pid}`;
  const holder: LockHolder = { pid: process.pid, started: startId(process.pid), role };
  writeFileSync(mine, JSON.stringify(holder), { mode: 0o600 });
  try {
    // Creating a hard link is atomic and never replaces a file.
    linkSync(mine, path);
    return true;
  } catch {
    removeStale(path);
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeStale(path: string): void {
  if (isHeld(readHolder(path))) return;
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
    // Another process may have locked the folder between the check and the rename: restore its lock.
    if (isHeld(readHolder(aside))) linkSync(aside, path);
    rmSync(aside, { force: true });
  } catch {
    // Another process removed it first.
  }
}
