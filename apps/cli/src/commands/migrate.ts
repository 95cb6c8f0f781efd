import { forgetSecretKey, prepareDatabase } from '@gleaner/core';
import { EarlierProcessesError, planMigration, type Database, type MigrationPlan } from '@gleaner/db';
import { Fault } from '../fault.ts';
import { Option, type Command } from 'commander';
import { addExamples } from '../examples.ts';
import { readConfig } from '../read-config.ts';
import { requireSecretKey } from '../start/require-secret-key.ts';
import { note, plural, print } from '../terminal/output.ts';
import { wholeNumber } from '../numbers.ts';
import { withDatabase } from './with-database.ts';

/** Longer than a process that was killed seems to run. */
const WAIT_SECONDS = 90;

interface MigrateFlags {
  dryRun?: true;
  wait: number;
  forgetSecretKey?: true;
}

export function register(command: Command): void {
  command
    .option('--dry-run', 'print what it would do, and how long it would lock tables')
    .addOption(
      new Option(
        '--wait <seconds>',
        'how long to wait for workers and schedulers of an earlier version to end, if they must',
      )
        .argParser(wholeNumber(0, 86_400))
        .default(WAIT_SECONDS),
    )
    .option(
      '--forget-secret-key',
      'accept another GLEANER_SECRET_KEY from now on: what the old one sealed is lost',
    );
  const examples = ['migrate --dry-run', 'migrate', 'migrate --wait 0', 'migrate --forget-secret-key'];
  addExamples(command, examples).action(async ({ dryRun, wait, forgetSecretKey: forgets }: MigrateFlags) => {
    if (dryRun === true) {
      const plan = await withDatabase((db) => planMigration(db.directUrl), { isMigration: true });
      print(describePlan(plan).join('\n'));
      return;
    }
    await withDatabase((db) => migrateNow(db, wait * 1000, forgets === true), { isMigration: true });
    print('the database is up to date');
  });
}

async function migrateNow(db: Database, waitMs: number, forgets: boolean): Promise<void> {
  const { directUrl } = db;
  const { databaseUrl, secretKey } = readConfig(process.env);
  const urls = { databaseUrl: databaseUrl ?? directUrl, directDatabaseUrl: directUrl };
  try {
    await prepareDatabase(urls, { waitMs, onWait: note });
  } catch (error) {
    // Processes of an earlier version run: no mistake of this program.
    if (error instanceof EarlierProcessesError) throw new Fault(error.message);
    throw error;
  }
  if (forgets) await forgetSecretKey(db);
  if (databaseUrl !== undefined && secretKey !== undefined) await requireSecretKey(db, secretKey);
}

/** Lines for people. */
export function describePlan({ migrations, functions, mustEnd, waitMs }: MigrationPlan): string[] {
  if (migrations.length === 0 && functions === null) return ['the database is up to date'];
  const lines = migrations.flatMap(({ tag, isOutside, statements }) => {
    const touched = statements.filter(({ blocks }) => blocks !== 'nothing');
    const total = touched.reduce((sum, { heldMs }) => sum + heldMs, 0);
    const place = isOutside ? 'outside a transaction' : `in one transaction, locks for about ${total} ms`;
    return [
      `${tag}: ${plural(statements.length, 'statement')}, ${touched.length === 0 ? 'locks no table that exists' : place}`,
      ...touched.map(
        ({ text, table, blocks, heldMs }) => `  blocks ${blocks} of ${table} for about ${heldMs} ms: ${text}`,
      ),
    ];
  });
  if (mustEnd !== null) lines.push(`Before that these must end: ${mustEnd}. The API may go on.`);
  if (functions !== null)
    lines.push(`functions: creates ${functions} beside the present ones, locks no table`);
  if (migrations.length > 0)
    lines.push(
      `A change waits at most ${waitMs / 1000} s for a lock, then tries again after a pause of 3 s.`,
    );
  return lines;
}
