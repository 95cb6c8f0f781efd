import type { ParserSchema } from '@gleaner/contracts';
import { AppError } from '@gleaner/contracts/errors';
import { parserSchema, parserSchemaFaults } from '@gleaner/contracts/parser-schema';
import { z } from 'zod';
import { compileSchema, type SchemaFault } from './engine/compile.ts';
import type { CompiledParser } from './engine/types.ts';

export type SchemaCheck = { ok: true; schema: ParserSchema } | { ok: false; faults: SchemaFault[] };

/** Checks the structure, then compiles every selector, path, pattern and format. Reports all faults together. */
export function checkSchema(input: unknown): SchemaCheck {
  const parsed = parserSchema.safeParse(input);
  if (!parsed.success) return { ok: false, faults: parserSchemaFaults(parsed.error, input) };
  const { faults } = compileSchema(parsed.data);
  return faults.length === 0 ? { ok: true, schema: parsed.data } : { ok: false, faults };
}

/** One line per fault: `fields.price.css[0]: ends before the selector does (column 5)` */
export function describeFault({ path, reason, column }: SchemaFault): string {
  return `${path === '' ? 'schema' : path}: ${reason}${column === undefined ? '' : ` (column ${column})`}`;
}

/**
 * Compiles a schema. This costs far more than extracting a small page, so callers should keep the result.
 * @throws AppError `invalid_request` for a faulty schema. A schema that `checkSchema` accepted never throws.
 */
export function compileParser(schema: ParserSchema): CompiledParser {
  const check = checkSchema(schema);
  if (!check.ok) {
    const [first] = check.faults;
    throw new AppError('invalid_request', {
      field: first === undefined || first.path === '' ? 'schema' : `schema.${first.path}`,
      detail: check.faults.map(describeFault).join('; '),
    });
  }
  return compileSchema(check.schema).parser;
}

/** The published JSON Schema (draft 2020-12) of the schema language. */
export function parserSchemaJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(parserSchema, { io: 'input', target: 'draft-2020-12' });
}
