import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface ListedProcess {
  pid: number;
  parent: number;
  /** The program and its arguments; undefined where /proc has them. */
  command?: string;
}

const runFile = promisify(execFile);

/**
 * All processes, for systems without Linux's /proc. Works with the `ps` of macOS and of Linux.
 * @returns nothing when there is no `ps`
 */
export async function listByPs(): Promise<Required<ListedProcess>[]> {
  // Without -ww macOS cuts a command after 79 characters when there is no terminal.
  const words = ['-axww', '-o', 'pid=,ppid=,command='];
  const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 32 * 1024 ** 2 };
  const { stdout } = await runFile('ps', words, options).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command = ''] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** False on systems without Linux's /proc, such as macOS. */
function hasProc(): boolean {
  return existsSync('/proc/self/stat');
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readText(`/proc/${pid}/stat`);
  // The second field is a name in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[1] === undefined ? undefined : Number(fields[1]);
}

/** All processes with their parents. */
async function listProcesses(): Promise<ListedProcess[]> {
  if (!hasProc()) return listByPs();
  const found: ListedProcess[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? await parentOf(pid) : undefined;
    if (parent !== undefined) found.push({ pid, parent });
  }
  return found;
}

/** The child processes of `parent` with `mark` in their command lines. */
export async function findProcesses(mark: string, parent: number): Promise<number[]> {
  const found: number[] = [];
  for (const { pid, parent: own, command } of await listProcesses()) {
    if (own !== parent) continue;
    if ((command ?? (await readText(`/proc/${pid}/cmdline`))).includes(mark)) found.push(pid);
  }
  return found;
}

/** A process and all its descendants. */
export async function listTree(root: number): Promise<number[]> {
  const children = Map.groupBy(await listProcesses(), ({ parent }) => parent);
  const tree: number[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    tree.push(pid);
    open.push(...(children.get(pid) ?? []).map((child) => child.pid));
  }
  return tree;
}

/**
 * The private memory of a process and all its descendants. 0 on systems without /proc: their `ps` counts what
 * Chromium's processes share once for each, and a browser would end for it.
 */
export async function privateBytesOfTree(root: number): Promise<number> {
  if (!hasProc()) return 0;
  let bytes = 0;
  for (const pid of await listTree(root)) {
    // In kilobytes, while statm counts pages, which some arm64 machines have of 16 or 64 KB.
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(await readText(`/proc/${pid}/status`))?.[1];
    bytes += Number(kilobytes ?? 0) * 1_024;
  }
  return bytes;
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
