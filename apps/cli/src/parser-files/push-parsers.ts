import { isDeepStrictEqual, styleText } from 'node:util';
import { writeFile } from 'node:fs/promises';
import { isGleanerError, type Client, type Parser } from '@gleaner/client';
import { collect } from '../collect.ts';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { Fault } from '../fault.ts';
import { clean } from '../terminal/clean.ts';
import { hasColours, print, printFormatted, printJson } from '../terminal/output.ts';
import { connect, type ServiceFlags } from '../service/connection/connect.ts';
import {
  contentOf,
  fileOf,
  format,
  isSame,
  readFiles,
  readFolder,
  toFile,
  writeParserFile,
  type ParserFile,
  type StoredFile,
} from './parser-files.ts';
import { findParsers } from './parser-types.ts';

export interface FolderFlags extends ServiceFlags {
  dir: string;
  force?: boolean;
  dryRun?: boolean;
  check?: boolean;
}

/** What a pushed version names as its source: the truth about it is in files. */
const SOURCE = 'gleaner parsers push';

/** The parser of a file: by slug, else by id, else by name, so that a repository also fits another account. */
async function findParser({ parsers }: Client, { slug, id, name }: ParserFile): Promise<Parser | undefined> {
  for (const ref of [slug, id]) {
    if (ref === undefined) continue;
    try {
      return await parsers.get(ref);
    } catch (error) {
      if (!isGleanerError(error, 'not found')) throw error;
    }
  }
  const similar = await collect(parsers.list({ limit: 100, search: name }));
  const named = similar.filter((parser) => parser.name === name);
  if (named.length > 1) {
    throw new Fault(
      `${named.length} parsers are named ${JSON.stringify(name)}: ${named.map((parser) => parser.id).join(', ')}.`,
      'Write the `slug` or the `id` of one into the file.',
    );
  }
  return named[0] && parsers.get(named[0].id);
}

export async function pullParsers(names: readonly string[], flags: FolderFlags): Promise<void> {
  const client = connect(flags);
  const files = await readFolder(flags.dir);
  const parsers = await findParsers(client, names);
  const pulled: { id: string; path: string; state: string }[] = [];
  for (const parser of parsers) {
    const { id } = parser;
    const own = fileOf(parser, files);
    if (own && isSame(parser, own.parser) && own.parser.version === parser.version) {
      pulled.push({ id, path: own.path, state: 'unchanged' });
      continue;
    }
    // A file that differs from the version it was pulled from has changes that are nowhere else.
    const differs = own !== undefined && !isSame(parser, own.parser);
    if (differs && flags.force !== true && (await isChangedHere(client, id, own))) {
      throw new Fault(
        `${own.path} has changes that were not pushed.`,
        'See them with `gleaner parsers diff`; --force overwrites them.',
      );
    }
    const path = await writeParserFile(flags.dir, parser, files);
    files.push({ path, parser: toFile(parser) });
    pulled.push({ id, path, state: own ? 'updated' : 'new' });
  }
  if (flags.json === true) return printJson({ parsers: pulled });
  for (const { path, state } of pulled) print(`${state}\t${path}`);
}

/** Whether no version of the parser has the file's schema. */
async function isChangedHere(client: Client, id: string, { parser: file }: StoredFile): Promise<boolean> {
  for await (const { schema } of client.parsers.listVersions(id, { limit: 100 }))
    if (isDeepStrictEqual(schema, file.schema)) return false;
  return true;
}

/**
 * Whether the service has a version that the file does not know: one that was neither pushed nor what the file was pulled
 * from. Pushed versions are in the history of the files, also when the number of the version was not committed.
 */
async function isChangedThere(client: Client, known: Parser, file: ParserFile): Promise<boolean> {
  if (known.id === file.id && known.version === file.version) return false;
  const {
    versions: [current],
  } = await client.parsers.listVersions(known.id, { limit: 1 });
  return current?.source !== SOURCE;
}

/** The effect of a push on one file. */
interface Pushed {
  path: string;
  id: string | null;
  state: 'created' | 'updated' | 'unchanged';
  version: number | null;
}

async function pushFile(
  client: Client,
  { path, parser: file }: StoredFile,
  flags: FolderFlags,
): Promise<Pushed> {
  const known = await findParser(client, file);
  const { id = null, version = null } = known ?? {};
  if (known && isSame(known, file)) return { path, id, state: 'unchanged', version };
  if (known && flags.force !== true && (await isChangedThere(client, known, file))) {
    const basis =
      known.id === file.id && file.version !== undefined ? `version ${file.version}` : 'elsewhere';
    throw new Fault(
      `${path} is from ${basis}, and the service has version ${known.version}, which was not pushed from files.`,
      'See the difference with `gleaner parsers diff` and pull it, or push with --force.',
    );
  }
  const state = known ? 'updated' : 'created';
  if (flags.dryRun === true) return { path, id, state, version };
  const body = { ...contentOf(file), source: SOURCE };
  const saved = known ? await client.parsers.update(known.id, body) : await client.parsers.create(body);
  await writeFile(path, format(toFile(saved)));
  return { path, id: saved.id, state, version: saved.version };
}

export async function pushParsers(paths: readonly string[], flags: FolderFlags): Promise<void> {
  const client = connect(flags);
  const pushed: Pushed[] = [];
  for (const file of await readFiles(paths, flags.dir)) {
    const result = await pushFile(client, file, flags);
    pushed.push(result);
    if (flags.json !== true) print(`${result.state}\t${result.path}\t${result.id ?? '-'}`);
  }
  if (flags.json === true) printJson({ parsers: pushed });
}

function paint(patch: string): string {
  const { stdout } = process;
  // A schema can hold any text; a terminal gets it without control characters.
  const text = stdout.isTTY ? clean(patch) : patch;
  if (!hasColours(stdout)) return text;
  return text
    .replaceAll(/^\+(?!\+\+).*/gm, (line) => styleText('green', line))
    .replaceAll(/^-(?!--).*/gm, (line) => styleText('red', line))
    .replaceAll(/^@@.*/gm, (line) => styleText('cyan', line));
}

/** Prints what a push would change, as patches. @throws ExitCode with --check when anything differs */
export async function diffParsers(paths: readonly string[], flags: FolderFlags): Promise<void> {
  const { createTwoFilesPatch } = await import('diff');
  const client = connect(flags);
  const changes: { path: string; id: string | null; patch: string }[] = [];
  for (const { path, parser: file } of await readFiles(paths, flags.dir)) {
    const known = await findParser(client, file);
    if (known && isSame(known, file)) continue;
    const from = known ? format(contentOf(known)) : '';
    const label = known ? `${known.id} version ${known.version}` : 'not on the service';
    const patch = createTwoFilesPatch(label, path, from, format(contentOf(file)));
    changes.push({ path, id: known?.id ?? null, patch: patch.replace(/^=+\n/, '') });
  }
  if (flags.json === true) printJson({ changes });
  else for (const { patch } of changes) printFormatted(paint(patch.replace(/\n$/, '')));
  if (flags.check === true && changes.length > 0) throw new ExitCode(EXIT.failed);
}
