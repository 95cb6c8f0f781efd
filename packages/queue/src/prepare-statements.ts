import { createHash } from 'node:crypto';
import type pg from 'pg';

/** More than BullMQ has. A text that names its values in itself would else fill the memory of each connection. */
const MAX_STATEMENTS = 200;

/**
 * Has the client prepare each statement with parameters once. BullMQ names none of its statements, and Postgres would parse
 * and plan each call anew, which costs more than most of them take to run.
 */
export function prepareStatements(client: pg.PoolClient): void {
  const names = new Map<string, string>();
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) => {
    if (typeof statement !== 'string' || !Array.isArray(rest[0])) return query(statement, ...rest);
    let name = names.get(statement);
    if (name === undefined) {
      if (names.size === MAX_STATEMENTS) return query(statement, ...rest);
      name = createHash('md5').update(statement).digest('hex');
      names.set(statement, name);
    }
    return query({ name, text: statement }, ...rest);
  }) as typeof client.query;
}
