import type { Command } from 'commander';
import { withDatabase } from './with-database.ts';

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version; `start` does this too')
    .action(async () => {
      await withDatabase({ migrates: true }, () => Promise.resolve());
      process.stdout.write('the database is up to date\n');
    });
}
