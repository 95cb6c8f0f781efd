import { statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { availableParallelism } from 'node:os';
import { nearestFolder } from '@gleaner/core';
import type { Config } from '@gleaner/core/config';
import { readMemoryLimit } from '@gleaner/fetching/memory-limit';
import { fault, ok, warning, type Finding } from './finding.ts';

const NODE_MAJOR = 24;
const GB = 1e9;

export function checkNode(): Finding[] {
  const { version, platform, arch } = process;
  const found = `Node ${version} on ${platform} ${arch}`;
  const major = Number(/^v(\d+)/.exec(version)?.[1]);
  if (major < NODE_MAJOR) return [fault('node', found, `Install Node ${NODE_MAJOR}.`)];
  if (major > NODE_MAJOR)
    return [warning('node', found, `Gleaner is tested with Node ${NODE_MAJOR}; prefer that version.`)];
  return [ok('node', found)];
}

/** The limit of the container or the machine, against what the configured processes need. */
export function checkMemory({ workerQueues, workers }: Pick<Config, 'workerQueues' | 'workers'>): Finding[] {
  const limitBytes = readMemoryLimit();
  const found = `${(limitBytes / GB).toFixed(1)} GB for this process, ${availableParallelism()} cores`;
  if (limitBytes < 0.5 * GB) return [fault('memory', found, 'Give it at least 1 GB.')];
  const wanted = 1 + (workerQueues.includes('browser') ? Math.max(1, workers) : 0);
  if (limitBytes < wanted * GB) {
    const advice = `Give it at least ${wanted} GB, run fewer workers (GLEANER_WORKERS), or leave browsers out (GLEANER_WORKER_QUEUES=http).`;
    return [warning('memory', found, advice)];
  }
  return [ok('memory', found)];
}

/** Free space where the data folder is, or will be. */
export function checkDisk(dataDir: string): Finding[] {
  const folder = resolve(dataDir);
  const { bavail, blocks, bsize } = statfsSync(nearestFolder(folder));
  const freeBytes = bavail * bsize;
  const share = bavail / Math.max(1, blocks);
  const found = `${(freeBytes / GB).toFixed(1)} GB (${Math.round(share * 100)} %) free for ${folder}`;
  const advice = 'Free space, shorten GLEANER_KEEP_…_DAYS, or move GLEANER_DATA_DIR to a larger disk.';
  if (freeBytes < GB) return [fault('disk', found, advice)];
  if (freeBytes < 5 * GB || share < 0.05) return [warning('disk', found, advice)];
  return [ok('disk', found)];
}
