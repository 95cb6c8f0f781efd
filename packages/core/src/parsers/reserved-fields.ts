import { isObject, type ParserSchema } from '@gleaner/contracts';
import { invalid } from '../platform/invalid-request.ts';
import { HISTORY_COLUMNS } from '../storage/databases/feed-tables.ts';

/** The names of all fields of a schema, those within fields too. */
function namesIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(namesIn);
  if (!isObject(part)) return [];
  const own = isObject(part['fields']) ? Object.keys(part['fields']) : [];
  return [...own, ...Object.values(part).flatMap(namesIn)];
}

/**
 * Refuses new fields with the names that columns of tables with history have. A parser that has such a field keeps it.
 * @param before the parser's current schema
 * @throws AppError invalid_request (schema)
 */
export function refuseReserved(schema: ParserSchema, before?: ParserSchema): void {
  const known = namesIn(before);
  const name = namesIn(schema).find((one) => HISTORY_COLUMNS.includes(one) && !known.includes(one));
  if (name === undefined) return;
  throw invalid(
    'schema',
    `the field name ${name} is reserved: tables with history have it`,
    'Choose another name.',
  );
}
