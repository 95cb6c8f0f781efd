import { spawn, type ChildProcess } from 'node:child_process';

export interface Watchdog {
  /** To be called when what it guards has ended: its process id may be given to another. */
  dismiss: () => void;
}

/**
 * A shell that waits for this process to end, however that happens: its standard input then closes, and it runs the
 * commands, with the guarded process id as `$1`. It depends on nothing in the guarded process, which may hang.
 */
export function startWatchdog(
  pid: number,
  commands: string,
  identity: { uid?: number; gid?: number } = {},
): Watchdog {
  const shell: ChildProcess = spawn(
    '/bin/sh',
    ['-c', `read -r _; ${commands}`, 'gleaner-watchdog', String(pid)],
    {
      ...identity,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  shell.unref();
  // Without a watchdog all runs as well; the next start stops a database that was left behind.
  shell.on('error', () => undefined);
  return { dismiss: () => void shell.kill('SIGKILL') };
}
