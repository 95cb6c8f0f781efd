import { Fault } from '../fault.ts';
import type { Client, Sink, Target } from '@gleaner/client';
import type { Command } from 'commander';
import { wholeNumber } from '../numbers.ts';
import { scrapeConfigOf, type FetchFlags } from './fetch-options.ts';
import { findId } from './service-command.ts';

interface TargetFlags {
  parser?: string;
  parserVersion?: number;
  api?: string;
}

export function withTargetOptions(command: Command): Command {
  return command
    .option('-p, --parser <parser>', 'what to run: a parser, by id, slug or name')
    .option('--parser-version <n>', 'this version of the parser', wholeNumber(1, 1e9))
    .option('--api <id>', 'or a prebuilt API (`gleaner apis list`)');
}

/** @throws Fault unless exactly one of --parser and --api is given */
async function targetOf(client: Client, flags: TargetFlags): Promise<Target> {
  const { parser, parserVersion, api } = flags;
  if ((parser === undefined) === (api === undefined)) {
    throw new Fault('One of --parser and --api is required.', '`gleaner parsers list` shows your parsers.');
  }
  if (api !== undefined) return { type: 'api', id: api };
  const parserId = await findId(client, 'parsers', parser ?? '');
  return { type: 'parser', parserId, version: parserVersion };
}

export interface SinkFlags {
  database?: string;
  table?: string;
  key?: string[];
  rows?: string;
}

export function withSinkOptions(command: Command): Command {
  return command
    .optionsGroup('Writing rows to a database:')
    .option('--database <database>', 'write rows to this database, by id, slug or name')
    .option('--table <table>', 'into this table')
    .option('--key <columns...>', 'columns that distinguish rows')
    .option('--rows <path>', 'list in the data whose elements become rows');
}

/** @returns undefined when results are to be returned. @throws Fault when one option needs another */
export async function sinkOf(client: Client, flags: SinkFlags): Promise<Sink | undefined> {
  const { database, table, key, rows } = flags;
  if (database === undefined) {
    if (table !== undefined || key !== undefined || rows !== undefined) {
      throw new Fault('--table, --key and --rows need --database.');
    }
    return undefined;
  }
  if (table === undefined) throw new Fault('--database needs --table.');
  return { mode: 'database', database: await findId(client, 'databases', database), table, key, rows };
}

export interface WorkFlags extends TargetFlags, SinkFlags, FetchFlags {}

/** What a job, a batch and a cron have in common: how pages are fetched, where rows go, and what runs. @throws Fault */
export async function workOf(client: Client, flags: WorkFlags) {
  return {
    scrape_config: scrapeConfigOf(flags),
    sink: await sinkOf(client, flags),
    target: await targetOf(client, flags),
  };
}
