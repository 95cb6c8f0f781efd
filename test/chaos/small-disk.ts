import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const MEGABYTE = 1024 * 1024;
const SIZE_MEGABYTES = 2_048;

/** A file system of its own at a folder. */
export interface SmallDisk {
  /** Takes what is free, to the last byte. @returns a function that gives it back */
  fill: () => Promise<() => Promise<void>>;
  remove: () => void;
}

/** Mounts one in memory, which needs root; or why there is none. */
export function mountSmallDisk(folder: string): SmallDisk | { missing: string } {
  try {
    const options = `size=${SIZE_MEGABYTES}m,mode=711`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'gleaner-chaos', folder], { stdio: 'pipe' });
  } catch (error) {
    return { missing: `no file system can be mounted here, so no disk is full: ${String(error)}` };
  }
  const filler = join(folder, 'filler');
  return {
    fill: async () => {
      const file = await open(filler, 'w');
      const part = Buffer.alloc(MEGABYTE);
      try {
        for (let size = MEGABYTE; size >= 1;) {
          try {
            await file.write(part, 0, size);
          } catch (error) {
            if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
            size = Math.floor(size / 2);
          }
        }
      } finally {
        await file.close();
      }
      return () => rm(filler);
    },
    remove: () => {
      execFileSync('umount', [folder], { stdio: 'pipe' });
    },
  };
}
