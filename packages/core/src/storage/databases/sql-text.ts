import type { Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';

export type { SqlRunner } from '../external/foreign-transaction.ts';

/** What runs statements without parameters, one or several in a text. */
export interface TextRunner {
  unsafe: (text: string) => PromiseLike<readonly Record<string, unknown>[]>;
}

/** Runs statements built as text within a transaction of drizzle's. */
export function textRunner(tx: Transaction): TextRunner {
  return { unsafe: (text) => tx.execute(sql.raw(text)) };
}

/** Settings of the format of values, which an account's own server may have changed. */
export const VALUE_FORMATS = `SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'`;

const MAX_IDENTIFIER_BYTES = 63;

/**
 * A name as a quoted SQL identifier. Our names match `^[a-z_][a-z0-9_]{0,62}$`; names in an external database may contain
 * any characters.
 * @throws Error for a name that Postgres would reject or truncate
 */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0') || Buffer.byteLength(name) > MAX_IDENTIFIER_BYTES)
    throw new Error('not an identifier');
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as a quoted SQL literal, for the few statements without parameters. */
export function quoteLiteral(text: string): string {
  if (text.includes('\0')) throw new Error('not a literal');
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

export function quoteTable(schema: string, table: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}
