import { readFileSync } from 'node:fs';
import { demandProc } from './demand-proc.ts';

/** Resident bytes of a process. @throws where there is no /proc */
export function memoryOf(pid: number): number {
  demandProc();
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1] ?? 0) * 1024;
}
