import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { Fault, messageOf } from '../fault.ts';
import { extract } from 'tar-stream';
import { CLUSTER, FACTS, factsSchema, KEPT_FILES, type BackupFacts } from './layout.ts';

const LABEL = `${CLUSTER}/backup_label`;

/**
 * Unpacks a backup into an empty folder.
 * @param check is called with the facts before anything is written; it throws to refuse the backup
 * @throws Fault when the file is not a whole backup
 */
export async function readBackup(
  file: string,
  folder: string,
  check: (facts: BackupFacts) => void,
): Promise<void> {
  const archive = extract();
  let hasFacts = false;
  let isWhole = false;
  const read = pipeline(createReadStream(file), createZstdDecompress(), archive);
  const unpacked = (async () => {
    for await (const entry of archive) {
      const { name, type } = entry.header;
      if (!hasFacts) {
        if (name !== FACTS) throw notBackup(file, 'it has no backup.json');
        check(factsSchema.parse(JSON.parse(await text(entry))));
        hasFacts = true;
        continue;
      }
      if (!isOurs(name)) throw notBackup(file, `it holds ${name}`);
      if (name === LABEL) isWhole = true;
      const path = join(folder, name);
      await mkdir(type === 'directory' ? path : dirname(path), { recursive: true, mode: 0o700 });
      if (type === 'directory') entry.resume();
      else await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    }
  })();
  try {
    await Promise.all([read, unpacked]);
  } catch (error) {
    throw error instanceof Fault ? error : notBackup(file, messageOf(error));
  }
  if (!isWhole) throw notBackup(file, 'its end is missing');
}

/** Only paths that `writeBackup` makes; none leaves the folder. */
function isOurs(name: string): boolean {
  if ((KEPT_FILES as readonly string[]).includes(name)) return true;
  const parts = name.replace(/\/$/, '').split('/');
  return (
    name.startsWith(`${CLUSTER}/`) && parts.every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

function notBackup(file: string, why: string): Fault {
  return new Fault(`${file} is not a whole backup of Gleaner: ${why}.`, 'Use another copy of it.');
}
