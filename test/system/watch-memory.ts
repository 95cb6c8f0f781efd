import { readFileSync } from 'node:fs';
import type { RunningProcess } from '../processes/process.ts';

/**
 * The most memory of a process from now on; 0 where there is no /proc. Pages of files don't count: a container without room
 * gives them back.
 */
export function watchMemory({ pid }: RunningProcess): { peakMb(): number; [Symbol.dispose](): void } {
  let peak = 0;
  const sampling = setInterval(() => {
    if (process.platform !== 'linux') return;
    const status = readFileSync(`/proc/${pid()}/status`, 'utf8');
    peak = Math.max(peak, Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1_024);
  }, 10);
  return { peakMb: () => peak, [Symbol.dispose]: () => clearInterval(sampling) };
}
