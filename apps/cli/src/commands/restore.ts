import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { adoptCluster, describePostgres, startPostgres } from '@gleaner/embedded-postgres';
import { Fault } from '../fault.ts';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { KEPT_FILES } from '../backup/layout.ts';
import { readBackup } from '../backup/read-backup.ts';
import { readConfig } from '../read-config.ts';
import { openDataFolder } from '../start/data-folder.ts';
import { lockFolder } from '../start/folder-lock.ts';
import { print } from '../terminal/output.ts';

export function register(command: Command): void {
  command
    .argument('<file>', 'what `gleaner backup` wrote')
    .addHelpText('after', '\nGLEANER_DATA_DIR names the folder, which must hold no database yet.');
  addExamples(command, ['restore /srv/backups/gleaner-2026-11-22.tar.zst']).action(restore);
}

async function restore(name: string): Promise<void> {
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (databaseUrl !== undefined) {
    throw new Fault(
      'DATABASE_URL is set: `gleaner restore` makes only the embedded Postgres of a data folder.',
      'Use pg_restore; docs/operate/backup.md shows how.',
    );
  }
  const file = resolve(name);
  if (!existsSync(file)) throw new Fault(`${file} does not exist.`);
  const folder = openDataFolder(dataDir);
  const lock = await lockFolder(folder, 'command');
  try {
    if (existsSync(join(folder, 'postgres.json')) || existsSync(join(folder, 'postgres'))) {
      throw new Fault(
        `The data folder ${folder} holds a database already.`,
        'Name another folder with GLEANER_DATA_DIR, or move that one away first.',
      );
    }
    const createdAt = await unpack(file, folder);
    // Recovery: the copied files become the database at the end of the backup.
    const server = await startPostgres({ dataDir: folder, durable: true, log: () => undefined });
    await server.stop();
    print(
      `${folder} holds the state of ${createdAt}; \`gleaner start\` continues its work, with --still it only shows it`,
    );
  } finally {
    lock.release();
  }
}

/** @returns when the backup was made */
async function unpack(file: string, folder: string): Promise<string> {
  const own = await describePostgres();
  let createdAt = '';
  const workplace = await mkdtemp(join(folder, 'restore-'));
  try {
    await readBackup(file, workplace, (facts) => {
      if (facts.postgres !== own) {
        throw new Fault(
          `${file} was made by Postgres ${facts.postgres}, and this installation has ${own}.`,
          `Restore it with Gleaner ${facts.version} on such a machine.`,
        );
      }
      createdAt = facts.createdAt;
    });
    for (const name of KEPT_FILES) {
      if (name !== 'postgres.json' && existsSync(join(workplace, name)))
        await rename(join(workplace, name), join(folder, name));
    }
    await adoptCluster(folder, workplace);
    return createdAt;
  } finally {
    await rm(workplace, { recursive: true, force: true });
  }
}
