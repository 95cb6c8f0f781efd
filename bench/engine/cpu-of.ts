import { readdirSync, readFileSync } from 'node:fs';
import { demandProc } from './demand-proc.ts';

/** Linux counts CPU in hundredths of a second (sysconf(_SC_CLK_TCK)). */
const TICK_MS = 10;

interface Stat {
  parent: number;
  ownMs: number;
  /** CPU of children that have ended and were waited for. */
  endedMs: number;
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0] = [1, 11, 12, 13, 14].map(
      (at) => fields[at],
    );
    return { parent, ownMs: (utime + stime) * TICK_MS, endedMs: (cutime + cstime) * TICK_MS };
  } catch {
    return undefined;
  }
}

/** CPU in ms of a process and its children, ended ones included. */
export function cpuOf(pid: number): number {
  demandProc();
  const root = readStat(pid);
  if (!root) return 0;
  let total = root.ownMs + root.endedMs;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat?.parent === pid) total += stat.ownMs + stat.endedMs;
  }
  return total;
}
