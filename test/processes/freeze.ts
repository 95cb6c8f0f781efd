import { execFileSync } from 'node:child_process';

/** Processes whose parent this is. */
function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, of]) => (pid !== undefined && of === parent ? [pid] : []));
}

/** Freezes a process and all its descendants (SIGSTOP). @returns a function that lets them go on */
export function freezeTree(pid: number): () => void {
  const frozen: number[] = [pid];
  const signal = (at: number, name: NodeJS.Signals): void => {
    try {
      process.kill(at, name);
    } catch {
      // It has ended.
    }
  };
  // A parent that stands still makes no further children. The list grows meanwhile.
  for (const at of frozen) {
    signal(at, 'SIGSTOP');
    frozen.push(...childrenOf(at));
  }
  return () => {
    for (const at of frozen) signal(at, 'SIGCONT');
  };
}
