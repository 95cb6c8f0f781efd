import { createKey, listKeys, revokeKey, type KeyRecord } from '@gleaner/core';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { findAccountId, withDatabase } from './with-database.ts';

export function register(keys: Command): void {
  addExamples(
    keys
      .command('create')
      .description('create a further key; it is shown once')
      .argument('<account>', 'identifier or name')
      .option('--name <name>', 'what it is for', 'key')
      .option('--json', 'print {"key", "api_key"} as JSON'),
    ['keys create acme --name reports'],
  ).action(create);
  addExamples(
    keys
      .command('list')
      .description('keys, newest first, without their secret')
      .argument('[account]', 'identifier or name; all accounts when absent')
      .option('--json', 'print {"keys"} as JSON'),
    ['keys list', 'keys list acme'],
  ).action(list);
  addExamples(
    keys
      .command('revoke')
      .description('revoke a key; it stops working with the next request')
      .argument('<key>', 'identifier (key_…) as shown by `keys list`')
      .option('--json', 'print {"key"} as JSON'),
    ['keys revoke key_01…'],
  ).action(revoke);
}

async function create(account: string, options: { name: string; json?: boolean }): Promise<void> {
  const { record, key } = await withDatabase(async (db) =>
    createKey(db.orm, { accountId: await findAccountId(db, account), name: options.name }),
  );
  if (options.json === true) return print(JSON.stringify({ key: record, api_key: key }));
  print(`${formatTable([summary(record)])}\n\nAPI key (shown this once): ${key}`);
}

async function list(account: string | undefined, options: { json?: boolean }): Promise<void> {
  const keys = await withDatabase(async (db) =>
    listKeys(db, account === undefined ? undefined : await findAccountId(db, account)),
  );
  print(options.json === true ? JSON.stringify({ keys }) : formatTable(keys.map(summary)));
}

async function revoke(id: string, options: { json?: boolean }): Promise<void> {
  const key = await withDatabase((db) => revokeKey(db, id));
  print(options.json === true ? JSON.stringify({ key }) : formatTable([summary(key)]));
}

function summary(key: KeyRecord): Record<string, unknown> {
  return {
    id: key.id,
    account: key.account_id,
    name: key.name,
    key: key.shown,
    state: key.revoked_at === null ? 'live' : 'revoked',
    'last used': key.last_used_at,
    created: key.created_at,
  };
}
