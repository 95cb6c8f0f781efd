import { spawnSync } from 'node:child_process';

/** The language and the zone of `lstart` must not depend on who asks: a lock compares it with a stored one. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * One column of `ps` about a process, for systems without Linux's /proc. Works with the `ps` of macOS and of Linux.
 * @returns an empty text when there is no such process, or no `ps`
 */
export function psField(pid: number, column: 'command' | 'lstart' | 'stat'): string {
  // Without -ww macOS cuts a command after 79 characters when there is no terminal.
  const words = ['-ww', '-o', `${column}=`, '-p', String(pid)];
  return spawnSync('ps', words, { encoding: 'utf8', env: ENVIRONMENT }).stdout?.trim() ?? '';
}
