import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readVersion } from '@gleaner/core';
import { describeCluster } from '@gleaner/embedded-postgres';
import { Fault } from '../fault.ts';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { writeBackup } from '../backup/write-backup.ts';
import { readConfig } from '../read-config.ts';
import { requireOwnDatabase } from '../start/database-record.ts';
import { reachPostgres } from '../start/reach-postgres.ts';
import { note, print } from '../terminal/output.ts';

export function register(command: Command): void {
  command
    .argument('<file>', 'a new file, such as gleaner.tar.zst')
    .addHelpText(
      'after',
      '\nThe file holds the encryption key and passwords: only you can read it. See docs/operate/backup.md.',
    );
  addExamples(command, ['backup /srv/backups/gleaner-2026-11-22.tar.zst']).action(backup);
}

async function backup(name: string): Promise<void> {
  const { databaseUrl, dataDir, secretKey } = readConfig(process.env);
  if (databaseUrl !== undefined) {
    throw new Fault(
      'DATABASE_URL is set: `gleaner backup` copies only the embedded Postgres of a data folder.',
      'Use pg_dump and keep GLEANER_SECRET_KEY; docs/operate/backup.md shows how.',
    );
  }
  const file = resolve(name);
  if (existsSync(file)) throw new Fault(`${file} exists already.`, 'Name another file.');
  const folder = resolve(dataDir);
  requireOwnDatabase(folder);
  const { folder: cluster, postgres } = await describeCluster(folder);
  const server = await reachPostgres(folder);
  try {
    const facts = { format: 1, ...readVersion(), postgres, createdAt: new Date().toISOString() } as const;
    await writeBackup({ file, url: server.url, dataDir: folder, cluster, facts });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await server.leave();
  }
  const { size } = await stat(file);
  print(`${file}: ${(size / 1024 / 1024).toFixed(1)} MiB`);
  if (secretKey !== undefined)
    note('GLEANER_SECRET_KEY is set and is not in the file: keep a copy of it elsewhere.');
}
