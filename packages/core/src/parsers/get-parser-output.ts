import type { OutputFormat, ParserSchema } from '@gleaner/contracts';
import { outputColumns, outputTypes, wordsOf } from '@gleaner/extractors';
import type { Perform } from '../platform/context.ts';
import { readParser } from './read-parsers.ts';
import { readVersionSchema } from './versions.ts';

const FILES: Readonly<Record<OutputFormat, { contentType: string; ending: string }>> = {
  'json-schema': { contentType: 'application/schema+json', ending: 'schema.json' },
  typescript: { contentType: 'text/plain; charset=utf-8', ending: 'ts' },
  python: { contentType: 'text/x-python; charset=utf-8', ending: 'py' },
  sql: { contentType: 'application/sql', ending: 'sql' },
};

/** The table that a sink makes for the parser's rows. */
function writeSql(name: string, schema: ParserSchema): string {
  const table = wordsOf(name).join('_').toLowerCase().slice(0, 63);
  const columns = outputColumns(schema) ?? [];
  const keys = columns.filter(({ key }) => key).map(({ name }) => name);
  const lines = [
    '"_url" text NOT NULL',
    '"_fetched_at" timestamptz NOT NULL',
    '"_run_id" text NOT NULL',
    ...columns.map(({ name, type, key }) => `"${name}" ${type}${key ? ' NOT NULL' : ''}`),
    `PRIMARY KEY (${(keys.length === 0 ? ['_url'] : keys).map((name) => `"${name}"`).join(', ')})`,
  ];
  return `CREATE TABLE "${table}" (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);\n`;
}

// A stored schema was checked when it was saved.
function asSchema(schema: unknown): ParserSchema {
  return schema as ParserSchema;
}

async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}

/** The type of a parser's answer, in one of several languages. */
export const getParserOutput: Perform<'getParserOutput'> = async (ctx, { params, query }) => {
  const { orm } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const stored =
    query.version === undefined ? parser.schema : await readVersionSchema(orm, params.id, query.version);
  const schema = asSchema(stored);
  const { contentType, ending } = FILES[query.format];
  const { format } = query;
  const text = format === 'sql' ? writeSql(parser.name, schema) : outputTypes(parser.name, schema, format);
  return { contentType, filename: `${params.id}.${ending}`, stream: once(text) };
};
