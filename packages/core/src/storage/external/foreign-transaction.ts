import type { Sql } from '@gleaner/db';

/** What runs statements built as text: a client or transaction of postgres.js, or an account's own database. */
export interface SqlRunner {
  unsafe<T extends object[]>(
    text: string,
    parameters?: (string | number | null)[],
    options?: { prepare?: boolean },
  ): PromiseLike<T>;
}

export interface Statement {
  text: string;
  /** Without parameters, the text may hold several statements. */
  parameters?: readonly (string | number | null)[];
  /** The rows that the statement must return, as JSON. With others, everything is rolled back. */
  expected?: string;
  /** What member `n` of its one row must be, in the same way. */
  expectedCount?: number;
}

/** A whole transaction as data, so that nobody waits between two statements and a thread can run it. */
export interface ForeignTransaction {
  mode: 'read only' | 'read write';
  statements: readonly Statement[];
}

type Rows = Record<string, unknown>[];

/** The rows of each statement; null: a statement returned other rows than it must, and nothing was changed. */
export type TransactionRows = Rows[] | null;

class OtherRows extends Error {}

/** Runs a transaction on a connection of its own. @throws what the server answers */
export async function runTransaction(
  sql: Sql,
  { mode, statements }: ForeignTransaction,
): Promise<TransactionRows> {
  try {
    const { value } = await sql.begin(mode, async (tx) => {
      const found: Rows[] = [];
      for (const { text, parameters, expected, expectedCount } of statements) {
        const rows: Rows = [...(await tx.unsafe(text, [...(parameters ?? [])]))];
        if (expected !== undefined && JSON.stringify(rows) !== expected) throw new OtherRows();
        if (expectedCount !== undefined && rows[0]?.['n'] !== expectedCount) throw new OtherRows();
        found.push(rows);
      }
      return { value: found };
    });
    return value;
  } catch (error) {
    if (error instanceof OtherRows) return null;
    throw error;
  }
}

/** Runs each statement in a transaction of its own, after `settings`. */
export function runnerOf(
  run: (transaction: ForeignTransaction) => Promise<TransactionRows>,
  mode: ForeignTransaction['mode'],
  settings: string,
): SqlRunner {
  return {
    unsafe: async <T extends object[]>(text: string, parameters?: (string | number | null)[]) => {
      const rows = await run({
        mode,
        statements: [{ text: settings }, { text, parameters: parameters ?? [] }],
      });
      // The caller names the columns that its statement returns.
      return (rows?.[1] ?? []) as unknown as T;
    },
  };
}
