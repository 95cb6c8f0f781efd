import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file or folder of a cluster, by its path inside the data folder. */
export interface ClusterEntry {
  path: string;
  isFolder: boolean;
  sizeBytes: number;
}

/** Folders whose content a server recreates; `pg_wal` is copied last. */
const EMPTIED =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|base\/pgsql_tmp)\//;
/** Files of the running server, or of a backup that another copy was made of. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pg_internal\.init.*)$/;

/**
 * The entries of a running cluster that belong into a copy, folders before their content. Files may end while they are
 * listed: the write-ahead log repeats that.
 */
export async function* listCluster(dataFolder: string, under = ''): AsyncGenerator<ClusterEntry> {
  const entries = await readdir(join(dataFolder, under), { withFileTypes: true });
  for (const entry of entries) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    const isFolder = entry.isDirectory();
    if (EMPTIED.test(path)) continue;
    if (!isFolder && LEFT_OUT.test(entry.name)) continue;
    if (!isFolder && !entry.isFile()) throw new Error(`${path} is neither a file nor a folder`);
    const size = isFolder ? 0 : await sizeOf(join(dataFolder, path));
    if (size === undefined) continue;
    yield { path, isFolder, sizeBytes: size };
    if (isFolder) yield* listCluster(dataFolder, path);
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
