import { readdirSync, readFileSync } from 'node:fs';

export interface Sample {
  atMs: number;
  name: string;
  pid: number;
  memoryMb: number;
  handles: number;
}

/** Memory and open handles of processes now. Linux only. */
export function sampleProcesses(processes: readonly { name: string; pid: number }[]): Sample[] {
  const atMs = performance.now();
  return processes.flatMap(({ name, pid }) => {
    try {
      const [, kb = '0'] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
      return [
        { atMs, name, pid, memoryMb: Number(kb) / 1024, handles: readdirSync(`/proc/${pid}/fd`).length },
      ];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

export interface Growth {
  name: string;
  pid: number;
  minutes: number;
  lastMb: number;
  /** Least squares. */
  mbPerMinute: number;
  handlesFirst: number;
  handlesLast: number;
}

/** The growth of each process that was seen for at least `leastMs` after the warm-up. */
export function growthOf(samples: readonly Sample[], fromMs: number, leastMs: number): Growth[] {
  const byPid = Map.groupBy(
    samples.filter(({ atMs }) => atMs >= fromMs),
    ({ pid }) => pid,
  );
  return [...byPid.values()].flatMap((own) => {
    const [first] = own;
    const last = own.at(-1);
    if (!first || !last || last.atMs - first.atMs < leastMs) return [];
    const meanAt = own.reduce((sum, { atMs }) => sum + atMs, 0) / own.length;
    const meanMb = own.reduce((sum, { memoryMb }) => sum + memoryMb, 0) / own.length;
    let product = 0;
    let square = 0;
    for (const { atMs, memoryMb } of own) {
      product += (atMs - meanAt) * (memoryMb - meanMb);
      square += (atMs - meanAt) ** 2;
    }
    return [
      {
        name: first.name,
        pid: first.pid,
        minutes: (last.atMs - first.atMs) / 60_000,
        lastMb: last.memoryMb,
        mbPerMinute: (product / square) * 60_000,
        handlesFirst: first.handles,
        handlesLast: last.handles,
      },
    ];
  });
}
