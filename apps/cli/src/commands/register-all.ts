import type { Command } from 'commander';
import { registerAccounts } from './accounts.ts';
import { registerExtract } from './extract.ts';
import { registerKeys } from './keys.ts';
import { registerMigrate } from './migrate.ts';

/** Registers every command but `start`, with the code of the database and of the engine. */
export function registerAll(program: Command): void {
  for (const register of [registerExtract, registerAccounts, registerKeys, registerMigrate])
    register(program);
}
