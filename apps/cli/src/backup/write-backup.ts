import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { backUp } from '@gleaner/db';
import { pack, type Pack } from 'tar-stream';
import { CLUSTER, FACTS, KEPT_FILES, type BackupFacts } from './layout.ts';

/** A file or folder of a cluster, by its path inside the data folder. */
interface ClusterEntry {
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
async function* listCluster(dataFolder: string, under = ''): AsyncGenerator<ClusterEntry> {
  const entries = await readdir(join(dataFolder, under), { withFileTypes: true });
  for (const entry of entries) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    const isFolder = entry.isDirectory();
    if (EMPTIED.test(path)) continue;
    if (!isFolder && LEFT_OUT.test(entry.name)) continue;
    if (!isFolder && !entry.isFile()) throw new Error(`${path} is neither a file nor a folder`);
    const facts = await unlessGone(stat(join(dataFolder, path)));
    if (facts === undefined) continue;
    yield { path, isFolder, sizeBytes: facts.size };
    if (isFolder) yield* listCluster(dataFolder, path);
  }
}

/** The result of reading what may be gone meanwhile. */
async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Writes a backup of a data folder whose Postgres runs: files of the folder, and a copy of the cluster that a server
 * recovers to the state at the end of the backup.
 * @param input `cluster` is the cluster's folder, and `files` are paths of the data folder by their names
 */
export async function writeBackup(input: {
  file: string;
  url: string;
  dataDir: string;
  cluster: string;
  facts: BackupFacts;
}): Promise<void> {
  const { file, url, dataDir, cluster, facts } = input;
  const archive = pack();
  const written = pipeline(
    archive,
    createZstdCompress(),
    // It holds keys and passwords. An existing file is never replaced.
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  );
  const packed = (async () => {
    await addEntry(archive, { name: FACTS, mode: 0o600 }, JSON.stringify(facts, null, 2));
    for (const name of KEPT_FILES) await addFile(archive, join(dataDir, name), name);
    await backUp(
      url,
      async () => {
        for await (const { path, isFolder, sizeBytes } of listCluster(cluster)) {
          const name = `${CLUSTER}/${path}`;
          if (isFolder) await addEntry(archive, { name, type: 'directory', mode: 0o700 });
          else await addFile(archive, join(cluster, path), name, sizeBytes);
        }
      },
      async ({ label, tablespaces, firstWal, lastWal }) => {
        for (const name of (await readdir(join(cluster, 'pg_wal'))).sort()) {
          // Names are ascending within a timeline; a file of history belongs to the timeline itself.
          const isNeeded = /^[0-9A-F]{24}$/.test(name)
            ? name >= firstWal && name <= lastWal
            : name.endsWith('.history');
          if (isNeeded) await addFile(archive, join(cluster, 'pg_wal', name), `${CLUSTER}/pg_wal/${name}`);
        }
        if (tablespaces !== '') throw new Error('a cluster with tablespaces can not be copied');
        // Last: a copy without it would be taken for a cluster that only crashed.
        await addEntry(archive, { name: `${CLUSTER}/backup_label`, mode: 0o600 }, label);
      },
    );
    archive.finalize();
  })();
  packed.catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  await Promise.all([packed, written]);
}

/** Adds an entry with a text, or with what a function writes into it. */
function addEntry(
  archive: Pack,
  header: Parameters<Pack['entry']>[0],
  content: string | ((entry: NodeJS.WritableStream) => Promise<void>) = '',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => (error ? reject(error) : resolve());
    if (typeof content === 'string') archive.entry(header, content, done);
    else content(archive.entry(header, done)).catch(reject);
  });
}

/** Adds a file, unless it is gone. One that shrinks meanwhile is filled up with zeros: the log repeats what changed. */
async function addFile(archive: Pack, path: string, name: string, sizeBytes?: number): Promise<void> {
  const handle = await unlessGone(open(path));
  if (handle === undefined) return;
  try {
    const size = sizeBytes ?? (await handle.stat()).size;
    await addEntry(archive, { name, size, mode: 0o600 }, (entry) => copyInto(entry, handle, size));
  } finally {
    await handle.close();
  }
}

async function copyInto(entry: NodeJS.WritableStream, handle: FileHandle, size: number): Promise<void> {
  const buffer = Buffer.alloc(Math.min(size, CHUNK_BYTES));
  let left = size;
  while (left > 0) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(left, buffer.length), null);
    const chunk =
      bytesRead === 0
        ? Buffer.alloc(Math.min(left, CHUNK_BYTES))
        : Buffer.from(buffer.subarray(0, bytesRead));
    left -= chunk.length;
    if (!entry.write(chunk)) await new Promise<void>((resolve) => entry.once('drain', resolve));
  }
  entry.end();
}
