import { expect, test } from 'vitest';
import { z } from 'zod';
import { operationTable } from './operation-table.ts';

/** The greatest `integer` of Postgres: a greater number in a statement is an error of the database. */
const MAX_INTEGER = 2_147_483_647;
/** Columns of credits are `bigint`; a greater number would not be exact in JSON. */
const CREDITS: ReadonlySet<string> = new Set([
  'createAccount.body.properties.credits',
  'updateAccount.body.properties.grant',
]);
/** A parser's schema goes to the extraction, and into the database as JSON. */
const SCHEMAS: ReadonlySet<string> = new Set(['schema', 'ParserSchema']);

function unboundedIn(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, maximum } = node as { type?: unknown; maximum?: unknown };
  const most = CREDITS.has(path) ? Number.MAX_SAFE_INTEGER / 1_000 : MAX_INTEGER;
  const isUnbounded = type === 'integer' && !(typeof maximum === 'number' && maximum <= most);
  const below = Object.entries(node).flatMap(([key, value]) =>
    SCHEMAS.has(key) ? [] : unboundedIn(value, `${path}.${key}`),
  );
  return isUnbounded ? [path, ...below] : below;
}

test('no whole number of an input is greater than a column holds', () => {
  const unbounded = operationTable.flatMap(({ operation: { id, params, query, body } }) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]) =>
      schema === undefined
        ? []
        : unboundedIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), `${id}.${part}`),
    ),
  );
  expect(unbounded).toEqual([]);
});
