import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

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

/** False on systems without Linux's /proc, such as macOS. They have `ps`, which Linux does not always have. */
function hasProc(): boolean {
  return existsSync('/proc/self/stat');
}

/** Whether a process with this id runs, under any user. A zombie counts as ended. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const state = hasProc() ? statFields(pid)?.[0] : psField(pid, 'stat');
  return state?.startsWith('Z') !== true;
}

/** The program and its arguments; empty when they can't be read. */
export function commandLine(pid: number): string {
  if (!hasProc()) return psField(pid, 'command');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Identifies a process together with its id, because ids are reused, even across restarts of a container. */
export function startId(pid: number): string {
  if (!hasProc()) return psField(pid, 'lstart');
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  // Field 22 of proc(5): the start in clock ticks since boot.
  return `${bootId}:${statFields(pid)?.[19] ?? ''}`;
}

/** The fields of /proc/PID/stat from the state on. The name before it may contain spaces and parentheses. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
