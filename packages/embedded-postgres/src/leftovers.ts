import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';
import { commandLine, isAlive } from './process-facts.ts';

/**
 * Cleans up after an earlier start: stops a server that outlived its supervisor, and removes a lock file when its
 * process id now belongs to another program (Postgres would refuse to start).
 */
export async function clearLeftovers(dataFolder: string): Promise<void> {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const text = await readFile(lockFile, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const pid = Number.parseInt(text, 10);
  if (!isAlive(pid) || !commandLine(pid).includes(` -D ${dataFolder} `)) {
    await rm(lockFile, { force: true });
    return;
  }
  process.kill(pid, 'SIGINT');
  if (await hasEnded(pid, 10_000)) return;
  process.kill(pid, 'SIGQUIT');
  if (await hasEnded(pid, 5000)) return;
  throw new ClusterError(
    `A Postgres from an earlier start still runs on ${dataFolder} (pid ${pid}) and does not stop.`,
    `End it with: kill -9 ${pid}`,
  );
}

async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (isAlive(pid)) {
    if (Date.now() > until) return false;
    await sleep(50);
  }
  return true;
}
