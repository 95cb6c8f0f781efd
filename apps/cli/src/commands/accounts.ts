import {
  beginErasure,
  createAccount,
  DEFAULT_LIMITS,
  listAccounts,
  updateAccount,
  type AccountRecord,
  type AccountLimits,
} from '@gleaner/core';
import { Option, type Command } from 'commander';
import { addExamples } from '../examples.ts';
import { wholeNumber } from '../numbers.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withDatabase } from './with-database.ts';

interface CreateOptions {
  name: string;
  credits: number;
  json?: boolean;
}

interface UpdateOptions {
  name?: string;
  grant?: number;
  active?: boolean;
  json?: boolean;
}

/** The options for limits, with the numbers that they take. */
const LIMITS: readonly [keyof AccountLimits, flags: string, meaning: string, least: number, most: number][] =
  [
    ['concurrency', '--concurrency <n>', 'maximum requests and tasks at once', 1, 100_000],
    ['requestsPerMinute', '--requests-per-minute <n>', 'rate limit of all its keys together', 1, 1e7],
    ['pendingLimit', '--pending-limit <n>', 'maximum unfinished tasks', 0, 1e9],
    ['cronLimit', '--cron-limit <n>', 'maximum crons', 0, 1e6],
    [
      'cronMinIntervalSeconds',
      '--cron-min-interval <s>',
      'minimum seconds between two firings of a cron',
      60,
      1e7,
    ],
  ];

export function register(accounts: Command): void {
  withLimits(
    accounts
      .command('create')
      .description('create an account with its first key, which is shown once')
      .requiredOption('--name <name>', 'unique name')
      .option('--credits <n>', 'credits to start with', wholeNumber(0, 1e12), 0),
    ['accounts create --name acme --credits 10000', 'accounts create --name acme --concurrency 100 --json'],
  )
    .option('--json', 'print {"account", "api_key"} as JSON')
    .action(create);
  addExamples(
    accounts
      .command('list')
      .description('all accounts, newest first')
      .option('--json', 'print {"accounts"} as JSON'),
    ['accounts list'],
  ).action(list);
  withLimits(
    accounts
      .command('update')
      .description('change an account')
      .argument('<account>', 'identifier or name')
      .option('--name <name>', 'new name')
      .option('--grant <n>', 'credits to add; negative takes away', wholeNumber(-1e12, 1e12))
      .option('--active', 'let its keys, its work and its webhooks go on')
      .option('--no-active', 'refuse its keys, and let its work and its webhooks wait'),
    ['accounts update acme --grant 5000', 'accounts update acme --no-active'],
  )
    .option('--json', 'print {"account"} as JSON')
    .action(update);
  addExamples(
    accounts
      .command('erase')
      .description('erase an account for good, in parts by the scheduler; again: how far that is')
      .argument('<account>', 'identifier or name')
      .requiredOption('--name <name>', 'its exact name, so that no other account is meant')
      .option('--json', 'print {"erasure"} as JSON'),
    ['accounts erase acc_01kam2f5w3x8q9t7v6r4n2h0jd --name acme'],
  ).action(erase);
}

function withLimits(command: Command, examples: readonly string[]): Command {
  for (const [field, flags, meaning, least, most] of LIMITS)
    command.option(flags, `${meaning} (${DEFAULT_LIMITS[field]})`, wholeNumber(least, most));
  return addExamples(command, examples);
}

/** The limits among the options of a command. */
function limitsOf(options: object): Partial<AccountLimits> {
  const values = new Map(Object.entries(options));
  const given = LIMITS.map(([field, flags]) => [field, values.get(new Option(flags).attributeName())]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

async function create(options: CreateOptions): Promise<void> {
  const { name, credits } = options;
  const created = await withDatabase((db) => createAccount(db, { name, credits, ...limitsOf(options) }));
  if (options.json === true) return print(JSON.stringify(created));
  print(`${formatTable([summary(created.account)])}\n\nAPI key (shown this once): ${created.api_key}`);
}

async function list(options: { json?: boolean }): Promise<void> {
  const accounts = await withDatabase(listAccounts);
  print(options.json === true ? JSON.stringify({ accounts }) : formatTable(accounts.map(summary)));
}

async function update(account: string, options: UpdateOptions): Promise<void> {
  const { name, grant, active } = options;
  const changed = await withDatabase((db) =>
    updateAccount(db, { account, name, grant, active, ...limitsOf(options) }),
  );
  print(options.json === true ? JSON.stringify({ account: changed }) : formatTable([summary(changed)]));
}

async function erase(account: string, { name, json }: { name: string; json?: boolean }): Promise<void> {
  const erasure = await withDatabase((db) => beginErasure(db, { account, name }));
  if (json === true) return print(JSON.stringify({ erasure }));
  const { removed, ended_at: ended, account_id: id, begun_at: begun } = erasure;
  const rows = Object.entries(removed).map(([table, count]) => ({ table, 'rows removed': count }));
  print(formatTable([{ id, name: erasure.name, begun, ended: ended ?? 'not yet' }]));
  if (rows.length > 0) print(`\n${formatTable(rows)}`);
  if (ended === null)
    print(
      '\nIts keys no longer work. The scheduler erases it in parts; the same command says how far it is.',
    );
}

function summary(account: AccountRecord): Record<string, unknown> {
  return {
    id: account.id,
    name: account.name,
    active: account.active ? 'yes' : 'no',
    credits: account.credit_balance,
    reserved: account.credits_reserved,
    used: account.credits_used,
    'stored MB': Math.round(account.stored_bytes / 1_000_000),
    concurrency: account.concurrency,
    'requests/min': account.requests_per_minute,
    created: account.created_at,
  };
}
