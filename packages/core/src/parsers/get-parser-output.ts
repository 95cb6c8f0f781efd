import { Readable } from 'node:stream';
import { META_COLUMNS, OUTPUT_ENDINGS, type OutputFormat, type ParserSchema } from '@gleaner/contracts';
import { keyFields, outputColumns, outputTypes, wordsOf } from '@gleaner/extractors';
import type { Perform } from '../platform/context.ts';
import { META_TYPES } from '../storage/columns/columns.ts';
import { quoteIdentifier } from '../storage/databases/sql-text.ts';
import { createText } from '../storage/sinks/prepare-table.ts';
import { readReader } from './read-parsers.ts';
import { readVersionSchema } from './versions.ts';

const CONTENT_TYPES: Readonly<Record<OutputFormat, string>> = {
  'json-schema': 'application/schema+json',
  typescript: 'text/plain; charset=utf-8',
  python: 'text/x-python; charset=utf-8',
  sql: 'application/sql',
};

/** The table that a sink makes for the parser's rows. */
function writeSql(name: string, schema: ParserSchema): string {
  const table = wordsOf(name).join('_').toLowerCase().slice(0, 63);
  const columns = outputColumns(schema) ?? [];
  const key = keyFields(schema);
  const written = [
    ...META_COLUMNS.map((column) => ({ name: column, type: META_TYPES[column], isKey: false })),
    ...columns.map((column) => ({ ...column, isKey: column.key })),
  ];
  return `${createText(quoteIdentifier(table), { columns: written, key: key.length === 0 ? ['_url'] : key })};\n`;
}

/** The type of a parser's answer, in one of several languages. */
export const getParserOutput: Perform<'getParserOutput'> = async (ctx, { params, query }) => {
  const { orm } = ctx.services.db;
  const parser = await readReader(orm, ctx.accountId, params.id);
  const schema =
    query.version === undefined ? parser.schema : await readVersionSchema(orm, params.id, query.version);
  const { format } = query;
  const text = format === 'sql' ? writeSql(parser.name, schema) : outputTypes(parser.name, schema, format);
  return {
    contentType: CONTENT_TYPES[format],
    filename: `${params.id}.${OUTPUT_ENDINGS[format]}`,
    stream: Readable.from([text]),
  };
};
