import { spawn, type ChildProcess } from 'node:child_process';

export interface Watchdog {
  /** Call this when the watched process has ended, because the system may reuse its process id. */
  dismiss: () => void;
}

/**
 * Starts a shell that waits until this process ends, for any reason: its standard input then closes, and it runs the
 * commands with the watched process id as `$1`. It works even when the watched process hangs.
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
  // The watchdog is optional: the next start also stops a database that was left running.
  shell.on('error', () => undefined);
  return { dismiss: () => void shell.kill('SIGKILL') };
}
