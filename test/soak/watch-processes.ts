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
  mbPerMinute: number;
  /**
   * The growth of the least memory in each sixth of the time. Garbage is not in it: V8 lets a worker's heap grow to four
   * times what lives before it collects, so memory rises for minutes and falls at once. A leak raises the least.
   */
  leastMbPerMinute: number;
  handlesFirst: number;
  handlesLast: number;
}

const PARTS = 6;

interface Point {
  atMs: number;
  memoryMb: number;
}

/** The slope of the least-squares line. */
function slopeOf(points: readonly Point[]): number {
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / points.length;
  const meanMb = points.reduce((sum, { memoryMb }) => sum + memoryMb, 0) / points.length;
  let product = 0;
  let square = 0;
  for (const { atMs, memoryMb } of points) {
    product += (atMs - meanAt) * (memoryMb - meanMb);
    square += (atMs - meanAt) ** 2;
  }
  return (product / square) * 60_000;
}

/** The sample with the least memory of each part of the time. */
function leastOf(points: readonly Point[], fromMs: number, toMs: number): Point[] {
  const width = (toMs - fromMs) / PARTS;
  const parts = Map.groupBy(points, ({ atMs }) => Math.min(PARTS - 1, Math.floor((atMs - fromMs) / width)));
  return [...parts.values()].map((part) =>
    part.reduce((least, point) => (point.memoryMb < least.memoryMb ? point : least)),
  );
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
    return [
      {
        name: first.name,
        pid: first.pid,
        minutes: (last.atMs - first.atMs) / 60_000,
        lastMb: last.memoryMb,
        mbPerMinute: slopeOf(own),
        leastMbPerMinute: slopeOf(leastOf(own, first.atMs, last.atMs)),
        handlesFirst: first.handles,
        handlesLast: last.handles,
      },
    ];
  });
}
