import { readdirSync, readFileSync } from 'node:fs';

/** The parent of a process. The name in front of it may hold anything but a last parenthesis. */
function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
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
  // A parent that stands still makes no further children.
  for (let index = 0; index < frozen.length; index += 1) {
    const at = frozen[index] ?? 0;
    signal(at, 'SIGSTOP');
    frozen.push(
      ...readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && parentOf(name) === at)
        .map(Number),
    );
  }
  return () => {
    for (const at of frozen) signal(at, 'SIGCONT');
  };
}
