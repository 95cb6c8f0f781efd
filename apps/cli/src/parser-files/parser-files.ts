import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Parser, ParserSchema, ScrapeConfig } from '@gleaner/client';
import { SLUG } from '@gleaner/contracts/values';
import { Fault, messageOf } from '../fault.ts';
import { parseJsonObject } from '../read-file.ts';

/** A parser as a file of a repository. */
export interface ParserFile {
  /** Finds the parser again, in any account. */
  slug?: string;
  /** Absent in a file that was never pulled or pushed. */
  id?: string;
  /** The version that the file was pulled from, or pushed as. */
  version?: number;
  name: string;
  description: string | null;
  scrape_config: ScrapeConfig;
  schema: ParserSchema;
}

/** The parts of a file that are compared with the service; ids and versions are ignored. */
export type ParserContent = Omit<ParserFile, 'id' | 'version'>;

type Compared = Omit<ParserContent, 'slug'> & { slug?: string | null };

export const DEFAULT_FOLDER = 'parsers';

export function toFile({ id, version, ...rest }: Parser): ParserFile {
  return { id, version, ...contentOf(rest) };
}

export function contentOf({ slug, name, description, scrape_config, schema }: Compared): ParserContent {
  return { ...(slug ? { slug } : {}), name, description, scrape_config, schema };
}

/** Whether a push of the file would change nothing. A file without a slug leaves that of the parser as it is. */
export function isSame(known: Parser, file: ParserContent): boolean {
  return isDeepStrictEqual({ ...contentOf(known), ...contentOf(file) }, contentOf(known));
}

/** The file of a parser: with its slug, else with its id. */
export function fileOf<F extends { parser: ParserFile }>(
  { slug, id }: Pick<Parser, 'id' | 'slug'>,
  files: readonly F[],
): F | undefined {
  const ofSlug = slug === null ? undefined : files.find(({ parser }) => parser.slug === slug);
  return ofSlug ?? files.find(({ parser }) => parser.id === id);
}

export function format(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

// The service checks schema and settings when the file is pushed, and names the field that is wrong.
function asParserFile(value: Record<string, unknown>, path: string): ParserFile {
  const { name, schema } = value;
  if (typeof name !== 'string' || typeof schema !== 'object') {
    throw new Fault(
      `${path} is not a parser file.`,
      'It needs `name` and `schema`; `gleaner parsers pull` writes such files.',
    );
  }
  return { description: null, scrape_config: {}, ...value } as ParserFile;
}

export interface StoredFile {
  path: string;
  parser: ParserFile;
}

async function readParserFile(path: string): Promise<StoredFile> {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Fault(`can’t read ${path}: ${messageOf(error)}`);
  });
  return { path, parser: asParserFile(parseJsonObject(content, path), path) };
}

/** The parser files of a folder by name; none when the folder does not exist. */
export async function readFolder(folder: string): Promise<StoredFile[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names.filter((name) => name.endsWith('.json')).sort();
  return Promise.all(paths.map((name) => readParserFile(join(folder, name))));
}

/** The named files, or all of the folder. @throws Fault when the folder has none */
export async function readFiles(paths: readonly string[], folder: string): Promise<StoredFile[]> {
  const files = paths.length > 0 ? await Promise.all(paths.map(readParserFile)) : await readFolder(folder);
  if (files.length === 0) {
    throw new Fault(`The folder ${folder} holds no parser files.`, 'Start with `gleaner parsers pull`.');
  }
  return files;
}

/** A name as a file's. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return slug === '' ? 'parser' : slug;
}

/** The end of an id, for the name of a file. */
export function endOf(id: string): string {
  return slugOf(id.slice(-6));
}

/**
 * Writes a parser to the file that holds it already, else to one named for it that no other parser has. Whatever slug
 * and id the service gives, that is a file of the folder.
 */
export async function writeParserFile(
  folder: string,
  record: Parser,
  existing: readonly StoredFile[],
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const own = fileOf(record, existing);
  const stem = record.slug !== null && SLUG.test(record.slug) ? record.slug : slugOf(record.name);
  const isTaken = (path: string): boolean => existing.some((file) => file.path === path);
  let path = own?.path ?? join(folder, `${stem}.json`);
  // Two parsers can share a name: the end of the id distinguishes their files.
  if (!own && isTaken(path)) path = join(folder, `${stem}-${endOf(record.id)}.json`);
  await writeFile(path, format(toFile(record)));
  return path;
}
