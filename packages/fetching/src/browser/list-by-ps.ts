import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ListedProcess {
  pid: number;
  parent: number;
  /** The program and its arguments. */
  command: string;
}

const runFile = promisify(execFile);

/**
 * All processes, for systems without Linux's /proc. Works with the `ps` of macOS and of Linux.
 * @returns nothing when there is no `ps`
 */
export async function listByPs(): Promise<ListedProcess[]> {
  // Without -ww macOS cuts a command after 79 characters when there is no terminal.
  const words = ['-axww', '-o', 'pid=,ppid=,command='];
  const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, maxBuffer: 32 * 1024 ** 2 };
  const { stdout } = await runFile('ps', words, options).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command = ''] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}
