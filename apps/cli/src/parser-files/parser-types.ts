import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client, Parser } from '@gleaner/client';
import { OUTPUT_ENDINGS, type OutputFormat } from '@gleaner/contracts/values';
import { collect } from '../collect.ts';
import { print, printJson } from '../terminal/output.ts';
import { endOf, slugOf } from './parser-files.ts';
import { connect, type ServiceFlags } from '../service/connection/connect.ts';
import { findId } from '../service/connection/find-id.ts';

/** The parsers that are named by id, slug or name; all without a name. */
export async function findParsers(client: Client, names: readonly string[]): Promise<Parser[]> {
  const ids =
    names.length === 0
      ? (await collect(client.parsers.list({ limit: 100 }))).map(({ id }) => id)
      : await Promise.all(names.map((name) => findId(client, 'parsers', name)));
  const parsers: Parser[] = [];
  // One after another: an account may have a thousand, and a limit on requests.
  for (const id of ids) parsers.push(await client.parsers.get(id));
  return parsers;
}

/** A file name for each parser: two with one name have the ends of their ids. Python imports no name with a dash. */
function fileNameOf({ id, name }: Parser, all: readonly Parser[], format: OutputFormat): string {
  const slug = slugOf(name);
  const isShared = all.some((other) => other.id !== id && slugOf(other.name) === slug);
  const stem = isShared ? `${slug}-${endOf(id)}` : slug;
  return `${format === 'python' ? stem.replaceAll('-', '_') : stem}.${OUTPUT_ENDINGS[format]}`;
}

/** Writes the types of parsers' answers to files. */
export async function writeParserTypes(
  names: readonly string[],
  { format, ...flags }: ServiceFlags & { dir: string; format: OutputFormat },
): Promise<void> {
  const client = connect(flags);
  const parsers = await findParsers(client, names);
  await mkdir(flags.dir, { recursive: true });
  const written: { id: string; path: string }[] = [];
  for (const parser of parsers) {
    const { stream } = await client.parsers.output(parser.id, { format });
    const path = join(flags.dir, fileNameOf(parser, parsers, format));
    await writeFile(path, await text(stream));
    written.push({ id: parser.id, path });
  }
  if (flags.json === true) return printJson({ types: written });
  for (const { path } of written) print(path);
}
