import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

export interface MemoryUse {
  usedBytes: number;
  limitBytes: number;
  /** Where the limit comes from. `process`: the machine's memory, of which only this process's part is known. */
  source: 'cgroup2' | 'cgroup1' | 'machine' | 'process';
}

export interface Admission extends MemoryUse {
  /** False: the process takes no new work until memory is free again. */
  isOpen: boolean;
  /** Why admission is closed, for /readyz. */
  reason: string | undefined;
}

export type MemoryAdmission = ReturnType<typeof createMemoryAdmission>;

export interface MemoryAdmissionOptions {
  readMemory?: () => MemoryUse;
  intervalMs?: number;
  onChange?(admission: Admission): void;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function readBytes(file: string): number | undefined {
  const text = readText(file);
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** File cache that the kernel reclaims on demand. It counts as used but can't exhaust the limit. */
function reclaimable(statFile: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readText(statFile) ?? '')?.[1] ?? 0);
}

/** The folders of a cgroup path from the process's own up to the root. Any of them may set a limit. */
function ancestors(root: string, path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return [...parts.keys(), parts.length]
    .toReversed()
    .map((count) => [root, ...parts.slice(0, count)].join('/'));
}

interface CgroupFiles {
  source: 'cgroup2' | 'cgroup1';
  root: string;
  line: RegExp;
  limit: string;
  current: string;
  inactive: string;
}

const CGROUPS: readonly CgroupFiles[] = [
  {
    source: 'cgroup2',
    root: '/sys/fs/cgroup',
    line: /^0::(.*)$/m,
    limit: 'memory.max',
    current: 'memory.current',
    inactive: 'inactive_file',
  },
  {
    source: 'cgroup1',
    root: '/sys/fs/cgroup/memory',
    line: /^\d+:[^:]*\bmemory\b[^:]*:(.*)$/m,
    limit: 'memory.limit_in_bytes',
    current: 'memory.usage_in_bytes',
    inactive: 'total_inactive_file',
  },
];

/** All memory limits of this process, and how much of each is in use. */
function readMemoryUses(): MemoryUse[] {
  const machine = readMachineUse(readText('/proc/meminfo'));
  const own = readText('/proc/self/cgroup') ?? '';
  const found: MemoryUse[] = [];
  for (const { source, root, line, limit, current, inactive } of CGROUPS) {
    for (const folder of ancestors(root, line.exec(own)?.[1] ?? '')) {
      const limitBytes = readBytes(`${folder}/${limit}`);
      const usedBytes = readBytes(`${folder}/${current}`);
      // cgroup 1 reports "no limit" as a number larger than any machine's memory.
      if (limitBytes === undefined || usedBytes === undefined || limitBytes >= machine.limitBytes) continue;
      found.push({
        source,
        limitBytes,
        usedBytes: usedBytes - reclaimable(`${folder}/memory.stat`, inactive),
      });
    }
  }
  return [...found, machine];
}

/** The limit with the largest share in use. */
export function readMemoryUse(uses: readonly MemoryUse[] = readMemoryUses()): MemoryUse {
  return uses.reduce((tightest, use) =>
    use.usedBytes / use.limitBytes > tightest.usedBytes / tightest.limitBytes ? use : tightest,
  );
}

/** The memory in bytes that this process may use: the smallest limit, regardless of current use. */
export function readMemoryLimit(uses: readonly MemoryUse[] = readMemoryUses()): number {
  return Math.min(...uses.map(({ limitBytes }) => limitBytes));
}

/**
 * The memory of the whole machine. Only Linux says how much of it can still be had. macOS's "free" memory leaves out
 * what it would take back from caches, so a laptop seems full all day: there this process's own memory counts alone.
 * @param meminfo the content of /proc/meminfo; undefined where there is none
 */
export function readMachineUse(meminfo: string | undefined): MemoryUse {
  const limitBytes = totalmem();
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo ?? '')?.[1];
  if (kilobytes === undefined) return { source: 'process', limitBytes, usedBytes: process.memoryUsage.rss() };
  return { source: 'machine', limitBytes, usedBytes: limitBytes - Number(kilobytes) * 1_024 };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** Shares of the limit at which new work is refused, and taken again. */
const CLOSE_AT = 0.88;
const OPEN_AT = 0.8;

/** Measures memory once per interval and closes admission before the kernel would kill the process. */
export function createMemoryAdmission({
  readMemory = () => readMemoryUse(),
  intervalMs = 1_000,
  onChange,
}: MemoryAdmissionOptions = {}) {
  let current: Admission = { ...readMemory(), isOpen: true, reason: undefined };

  const measure = (): void => {
    const use = readMemory();
    const share = use.usedBytes / use.limitBytes;
    const isOpen = current.isOpen ? share < CLOSE_AT : share < OPEN_AT;
    const reason = isOpen
      ? undefined
      : `memory: ${megabytes(use.usedBytes)} of ${megabytes(use.limitBytes)} (${use.source}) are in use`;
    const hasChanged = isOpen !== current.isOpen;
    current = { ...use, isOpen, reason };
    if (hasChanged) onChange?.(current);
  };
  measure();
  const timer = setInterval(measure, intervalMs);
  timer.unref();
  return { state: (): Admission => current, close: (): void => clearInterval(timer) };
}
