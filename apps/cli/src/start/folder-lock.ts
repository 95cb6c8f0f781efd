import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { readJson } from './private-file.ts';
import { isAlive, startId } from '@gleaner/embedded-postgres/process-facts';

const holderSchema = z.object({
  pid: z.number().int(),
  started: z.string(),
  /** A `command` holds the folder briefly, to run the database for itself. */
  role: z.enum(['service', 'command']),
});

type LockHolder = z.infer<typeof holderSchema>;

function lockPath(dataDir: string): string {
  return join(dataDir, 'lock.json');
}

/** The living process that a lock names; undefined if there is none or it was killed. */
function holderIn(path: string): LockHolder | undefined {
  const holder = readJson(path, holderSchema);
  return holder && isAlive(holder.pid) && startId(holder.pid) === holder.started ? holder : undefined;
}

/** The process that holds the data folder. */
export function findHolder(dataDir: string): LockHolder | undefined {
  return holderIn(lockPath(dataDir));
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
): Promise<{ release: () => void }> {
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
  if (holderIn(path)) return;
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
    // Another process may have locked the folder between the check and the rename: restore its lock.
    if (holderIn(aside)) linkSync(aside, path);
    rmSync(aside, { force: true });
  } catch {
    // Another process removed it first.
  }
}
