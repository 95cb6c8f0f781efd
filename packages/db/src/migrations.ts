import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { packageFolder } from './engine/engine-schema.ts';

export const MIGRATIONS_FOLDER = join(packageFolder, 'migrations');

/** The first line of a migration that runs outside a transaction, such as one that creates an index concurrently. */
const OUTSIDE = '-- outside a transaction';
const BREAKPOINT = '--> statement-breakpoint';

export interface Migration {
  /** Name of the migration's file without `.sql`. */
  tag: string;
  /** Identifies it in `gleaner.migrations`. */
  when: number;
  /** Whether statements run one by one outside a transaction. All run again when one fails, so each must be repeatable. */
  isOutside: boolean;
  statements: string[];
  digest: string;
}

/** All migrations of a folder with drizzle-kit's journal, in their order. */
export function readMigrations(folder = MIGRATIONS_FOLDER): Migration[] {
  const journal = readFileSync(join(folder, 'meta', '_journal.json'), 'utf8');
  const { entries } = JSON.parse(journal) as { entries: { tag: string; when: number }[] };
  return entries
    .toSorted((one, other) => one.when - other.when)
    .map(({ tag, when }) => {
      const text = readFileSync(join(folder, `${tag}.sql`), 'utf8');
      const digest = createHash('sha256').update(text).digest('hex');
      return { tag, when, isOutside: text.startsWith(OUTSIDE), statements: text.split(BREAKPOINT), digest };
    });
}

/** The `when` of each migration that the database has; null: it never was migrated. */
export async function readApplied(sql: postgres.Sql): Promise<Set<number> | null> {
  const [found] = await sql<{ exists: boolean }[]>`
    SELECT to_regclass('gleaner.migrations') IS NOT NULL AS exists`;
  if (found?.exists !== true) return null;
  const rows = await sql<{ when: string }[]>`SELECT created_at::text AS when FROM gleaner.migrations`;
  return new Set(rows.map(({ when }) => Number(when)));
}

/** Runs the statements of a migration, and notes that the database has it. */
export async function runMigration(
  sql: postgres.ISql,
  { statements, digest, when }: Migration,
): Promise<void> {
  for (const statement of statements) await sql.unsafe(statement);
  await sql`INSERT INTO gleaner.migrations (hash, created_at) VALUES (${digest}, ${when})`;
}
