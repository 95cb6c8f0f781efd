import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { createClient, type Client } from '@gleaner/client';
import { Fault } from '../fault.ts';
import { credentialsFile } from '../start/data-files.ts';
import { readSettings } from './settings-file.ts';
import { GROUPS } from './records.ts';
import { wholeNumber } from '../numbers.ts';

const DEFAULT_URL = 'http://127.0.0.1:3000';

/** Where the service is, and the key for it. */
interface Connection {
  url: string;
  apiKey: string | undefined;
  /** Where the key is from, in words. */
  keySource: string;
}

/** The address without a slash at its end. @throws Fault when it is not an http address */
function normalizeUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new Fault(
      `${JSON.stringify(text)} is not the address of a service.`,
      'Give it as http://… or https://…',
    );
  }
  return text.replace(/\/+$/, '');
}

function isSame(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

/**
 * Finds the service: `--service`, GLEANER_URL, the last `gleaner login`, then the service that runs on this machine. A key
 * is sent only to its own service: that of GLEANER_API_KEY is GLEANER_URL, and any when that is not set.
 */
export function findConnection(service: string | undefined, env: NodeJS.ProcessEnv): Connection {
  const settings = readSettings(env);
  const local = credentialsFile.read(env['GLEANER_DATA_DIR'] ?? '.gleaner');
  const ofEnvironment = env['GLEANER_URL'] || undefined;
  const url = normalizeUrl(service || ofEnvironment || settings.url || local?.base_url || DEFAULT_URL);
  const own = env['GLEANER_API_KEY'];
  const isOwn = ofEnvironment === undefined || isSame(ofEnvironment, url);
  if (own !== undefined && own !== '' && isOwn) return { url, apiKey: own, keySource: 'GLEANER_API_KEY' };
  const saved = settings.keys[url];
  if (saved !== undefined) return { url, apiKey: saved, keySource: 'gleaner login' };
  if (local && isSame(local.base_url, url)) {
    return { url, apiKey: local.api_key, keySource: 'credentials.json of the data folder' };
  }
  return { url, apiKey: undefined, keySource: 'nowhere' };
}

/** A client for commands that need a key. @throws Fault when there is none */
export function connect(flags: { service?: string }): Client {
  const { url, apiKey } = findConnection(flags.service, process.env);
  if (apiKey === undefined) {
    throw new Fault(
      `There is no API key for ${url}.`,
      'Sign in with `gleaner login`, or set GLEANER_API_KEY.',
    );
  }
  return createClient({ baseUrl: url, apiKey });
}

interface Named {
  id: string;
  slug: string | null;
  name: string;
}

/** Groups whose records can be given by name too. */
const NAMED = ['parsers', 'databases', 'crons', 'workflows'] as const;

type NamedGroup = (typeof NAMED)[number];

export function hasNames(group: string): group is NamedGroup {
  return NAMED.some((named) => named === group);
}

/**
 * The id of a record that a person names: an id stays unchanged, a slug or a name is looked up. Of both, the slug counts.
 * @throws Fault when no record has the name, or several have it
 */
export async function findId(client: Client, group: NamedGroup, given: string): Promise<string> {
  const { one, prefix } = GROUPS[group];
  if (given.startsWith(prefix)) return given;
  const records: AsyncIterable<Named> = client[group].list({ limit: 100, search: given });
  const ids: string[] = [];
  for await (const { id, slug, name } of records) {
    if (slug === given) return id;
    if (name === given) ids.push(id);
  }
  const [id, ...others] = ids;
  if (id === undefined) {
    throw new Fault(
      `There is no ${one} with the slug or name ${JSON.stringify(given)}.`,
      `Its id (${prefix}…) works as well.`,
    );
  }
  if (others.length > 0) {
    throw new Fault(
      `${ids.length} ${one}s are named ${JSON.stringify(given)}: ${ids.join(', ')}.`,
      'Give the id of one.',
    );
  }
  return id;
}

export interface ListFlags extends ServiceFlags {
  limit?: number;
  all?: boolean;
}

/** What a person sees of a list. */
const SHOWN = 20;

export function withLimit(command: Command): Command {
  return command
    .option(
      '-n, --limit <n>',
      `print at most this many (a terminal: ${SHOWN}, a pipe: all)`,
      wholeNumber(1, 1e9),
    )
    .option('-a, --all', 'print all of them');
}

/** The number of elements that the flags select: a program that reads a pipe wants all of them. */
export function mostOf({ limit, all }: ListFlags): number {
  if (all === true) return Infinity;
  return limit ?? (process.stdout.isTTY ? SHOWN : Infinity);
}

/** The first elements of an iterable, at most `most`. */
export async function collect<T>(items: AsyncIterable<T>, most = Infinity): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) {
    collected.push(item);
    if (collected.length >= most) break;
  }
  return collected;
}

/** Options that every command of the service has. */
export interface ServiceFlags {
  service?: string;
  json?: boolean;
}

/**
 * Adds a command that calls the service, with `--service`, `--json` and its examples.
 * @param examples as `addExamples` takes them
 */
export function serviceCommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  const command = parent
    .command(name)
    .description(description)
    .option('--service <address>', 'the service (GLEANER_URL, else that of `gleaner login`)')
    .option('--json', 'print JSON');
  return addExamples(command, examples);
}
