import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { demandProc } from '../../bench/engine/demand-proc.ts';

/**
 * Runs tests while random processes of theirs stand still for up to a second, as on a machine that is short of CPU: what lies
 * between two statements, or two lines, then lasts long enough for others to come between. Postgres, browsers and workers stand
 * still like the tests themselves. On Linux. Answers of 503 are right then.
 */
demandProc();

const root = join(import.meta.dirname, '../..');
const PAUSERS = 3;
const MEAN_PAUSE_MS = 150;
const MEAN_BREAK_MS = 50;
const MOST_MS = 1_200;

function randomMs(mean: number): number {
  return Math.min(-Math.log(1 - Math.random()) * mean, MOST_MS);
}

/** When a process started, in ticks since the machine did. */
function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
}

const since = startOf(process.pid);

/** Processes of this folder that are younger than this one, by their command, their program or where they run. */
function findProcesses(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      if (startOf(pid) < since) return [];
      const facts = [readlinkSync(`/proc/${pid}/cwd`), readlinkSync(`/proc/${pid}/exe`)];
      const isOurs = facts.some((path) => path.startsWith(`${root}/`) || path === root);
      return isOurs || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${root}/`) ? [pid] : [];
    } catch {
      return [];
    }
  });
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

async function pauseOneAfterAnother(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const processes = findProcesses();
    const pid = processes[Math.floor(Math.random() * processes.length)];
    if (pid !== undefined) {
      signal(pid, 'SIGSTOP');
      await delay(randomMs(MEAN_PAUSE_MS));
      signal(pid, 'SIGCONT');
    }
    await delay(randomMs(MEAN_BREAK_MS));
  }
}

const child = spawn(process.execPath, [join(root, 'scripts/test.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
let isOver = false;
const pausing = Array.from({ length: PAUSERS }, () => pauseOneAfterAnother(() => isOver));
const [code] = (await once(child, 'exit')) as [number | null];
isOver = true;
await Promise.all(pausing);
process.exitCode = code ?? 1;
