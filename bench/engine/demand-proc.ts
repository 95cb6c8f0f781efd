import { existsSync } from 'node:fs';

/** @throws when CPU and memory of processes can't be measured on this system */
export function demandProc(): void {
  if (!existsSync('/proc/self/stat')) throw new Error('this reads /proc, which only Linux has');
}
