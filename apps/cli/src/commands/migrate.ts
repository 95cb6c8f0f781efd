import { planMigration, type MigrationPlan } from '@gleaner/db';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { withDatabase } from './with-database.ts';
import { print } from '../terminal/output.ts';

export function registerMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description('migrate the database to this version; `start` does this too')
    .option('--dry-run', 'print what it would do, and how long it would lock tables');
  addExamples(command, ['migrate --dry-run', 'migrate']).action(async ({ dryRun }: { dryRun?: true }) => {
    if (dryRun === true) {
      const plan = await withDatabase({ migrates: 'never' }, (db) => planMigration(db.directUrl));
      print(describePlan(plan).join('\n'));
      return;
    }
    await withDatabase({ migrates: true }, () => Promise.resolve());
    print('the database is up to date');
  });
}

/** Lines for people. */
export function describePlan({ migrations, functions, waitMs }: MigrationPlan): string[] {
  if (migrations.length === 0 && functions === null) return ['the database is up to date'];
  const lines = migrations.flatMap(({ tag, isOutside, statements }) => {
    const touched = statements.filter(({ blocks }) => blocks !== 'nothing');
    const total = touched.reduce((sum, { heldMs }) => sum + heldMs, 0);
    const place = isOutside ? 'outside a transaction' : `in one transaction, locks for about ${total} ms`;
    return [
      `${tag}: ${statements.length} statements, ${touched.length === 0 ? 'locks no table that exists' : place}`,
      ...touched.map(
        ({ text, table, blocks, heldMs }) => `  blocks ${blocks} of ${table} for about ${heldMs} ms: ${text}`,
      ),
    ];
  });
  if (functions !== null)
    lines.push(`functions: creates ${functions} beside the present ones, locks no table`);
  if (migrations.length > 0)
    lines.push(
      `A change waits at most ${waitMs / 1000} s for a lock, then tries again after a pause of 3 s.`,
    );
  return lines;
}
