import { readdir, readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // The process has ended, or this is not Linux.
    return '';
  }
}

async function listProcesses(): Promise<number[]> {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

/** The child process of `parent` with `mark` in its command line; `undefined` on systems without Linux's /proc. */
export async function findProcess(mark: string, parent: number): Promise<number | undefined> {
  for (const pid of await listProcesses()) {
    if ((await parentOf(pid)) !== parent) continue;
    if ((await readText(`/proc/${pid}/cmdline`)).includes(mark)) return pid;
  }
  return undefined;
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readText(`/proc/${pid}/stat`);
  // The second field is a name in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[1] === undefined ? undefined : Number(fields[1]);
}

/** A process and all its descendants. */
export async function listTree(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const pid of await listProcesses()) {
    const parent = await parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree: number[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    tree.push(pid);
    open.push(...(children.get(pid) ?? []));
  }
  return tree;
}

/** The private memory of these processes: resident pages without shared ones. */
export async function privateBytes(pids: readonly number[]): Promise<number> {
  let pages = 0;
  for (const pid of pids) {
    const [, resident = '0', shared = '0'] = (await readText(`/proc/${pid}/statm`)).split(' ');
    pages += Number(resident) - Number(shared);
  }
  return pages * PAGE_BYTES;
}

/** Kills processes at once. Processes that have already ended are ignored. */
export function killProcesses(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      continue;
    }
  }
}
