import { READING_ROUTE } from '@gleaner/contracts/values';
import type { Client, CreateCrawlInput } from '@gleaner/client';
import { Fault } from '../../fault.ts';
import { readSchemaFile } from '../../read-file.ts';
import { findId } from '../connection/find-id.ts';

export type CrawlRoute = NonNullable<CreateCrawlInput['routes']>[number];

/** `/product/*=products`, or a schema's file: the last = ends the pattern, which may have others. @throws Fault */
function splitRoute(text: string): { match: string; reader: string } {
  const at = text.lastIndexOf('=');
  const [match, reader] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at > 0 && match !== '' && reader !== '') return { match, reader };
  throw new Fault(
    `--route ${JSON.stringify(text)} names no parser.`,
    "Write '/product/*=products', or '/product/*=product.json' with a schema in a file.",
  );
}

/** The reader as a route's name, which is a column's name too. */
function nameOf(reader: string): string {
  const [base = ''] = reader.split('/').slice(-1);
  const name = base
    .replace(/\.json$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .slice(0, 60);
  return /^[a-z_]/.test(name) ? name : `_${name}`;
}

/**
 * The routes of a crawl by what `--route` gives; without any, the built-in parser reads each page.
 * @param texts `PATTERN=PARSER` or `PATTERN=FILE.json`
 * @throws Fault for a text of another form, a file that can't be read, and a parser that does not exist
 */
export async function readRoutes(client: Client, texts: readonly string[]): Promise<CrawlRoute[]> {
  if (texts.length === 0) return [READING_ROUTE];
  const names = new Map<string, number>();
  const routes: CrawlRoute[] = [];
  for (const [reader, own] of Map.groupBy(texts.map(splitRoute), (route) => route.reader)) {
    const match = own.map((route) => route.match);
    const wanted = nameOf(reader);
    const count = (names.get(wanted) ?? 0) + 1;
    names.set(wanted, count);
    const name = count === 1 ? wanted : `${wanted}_${count}`;
    routes.push(
      reader.endsWith('.json')
        ? { name, match, schema: await readSchemaFile(reader) }
        : { name, match, target: { type: 'parser', parserId: await findId(client, 'parsers', reader) } },
    );
  }
  return routes;
}
