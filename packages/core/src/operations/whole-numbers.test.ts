import { expect, test } from 'vitest';
import { z } from 'zod';
import { operationTable } from './operation-table.ts';

/** The greatest `integer` of Postgres: a greater number in a statement is an error of the database. */
const MAX_INTEGER = 2_147_483_647;
/** A parser's schema goes to the extraction, and into the database as JSON. */
const SCHEMAS: ReadonlySet<string> = new Set(['schema', 'ParserSchema']);

function unboundedIn(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, maximum } = node as { type?: unknown; maximum?: unknown };
  const isUnbounded = type === 'integer' && !(typeof maximum === 'number' && maximum <= MAX_INTEGER);
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
