import postgres from 'postgres';
import { isAlone, listEarlier, nameAll } from './earlier-processes.ts';
import { ENGINE } from './engine/engine-schema.ts';
import { LOCK_TIMEOUT_MS } from './migrate.ts';
import { readApplied, readMigrations } from './migrations.ts';

/** What one statement of a migration does to a table that exists. */
export interface PlannedStatement {
  /** Its first line of SQL. */
  text: string;
  /** Name of the table, such as `gleaner.runs`; null when the statement concerns no table that exists. */
  table: string | null;
  /** What waits meanwhile: nothing, writes, or everything. */
  blocks: 'nothing' | 'writes' | 'everything';
  /** How long it blocks once it has its lock, in milliseconds: an estimate from the table's size. */
  heldMs: number;
}

export interface MigrationPlan {
  migrations: { tag: string; isOutside: boolean; statements: PlannedStatement[] }[];
  /** Names workers and schedulers that must end before; null: none must, or none runs. */
  mustEnd: string | null;
  /** The schema of functions that would be installed; null: it is there. */
  functions: string | null;
  /** How long a change waits for its lock in one try, and what needs the table behind it. */
  waitMs: number;
}

/** A cautious disk: what reads or rewrites a table does so at this speed. */
const BYTES_PER_MS = 50_000;
/** A change of the catalog alone. */
const CATALOG_MS = 10;

type Rule = [pattern: RegExp, blocks: PlannedStatement['blocks'], readsTable: boolean];

/** The first that matches decides. `table` is the name of the table. */
const RULES: readonly Rule[] = [
  [/^CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?<table>\S+)/i, 'nothing', false],
  [/^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s[\s\S]*?\sON\s+(?<table>\S+)/i, 'nothing', false],
  [/^CREATE\s+(?:UNIQUE\s+)?INDEX\s[\s\S]*?\sON\s+(?<table>\S+)/i, 'writes', true],
  [/^CREATE\s+TRIGGER\s[\s\S]*?\sON\s+(?<table>\S+)/i, 'writes', false],
  [
    /^ALTER\s+TABLE\s+(?<table>\S+)[\s\S]*?(\bTYPE\b|\bSTORED\b|SET\s+(UN)?LOGGED|SET\s+NOT\s+NULL|ADD\s+CONSTRAINT)/i,
    'everything',
    true,
  ],
  [/^ALTER\s+TABLE\s+(?<table>\S+)/i, 'everything', false],
  [/^DROP\s+(?:TABLE|TRIGGER\s[\s\S]*?\sON)\s+(?<table>\S+)/i, 'everything', false],
  [/^UPDATE\s+(?<table>\S+)/i, 'writes', true],
];

/** Judges a statement without running it. @param sizeOf bytes of a table; undefined when it does not exist yet */
export function planStatement(
  statement: string,
  sizeOf: (table: string) => number | undefined,
): PlannedStatement {
  const code = statement.replaceAll(/--.*$/gm, '').trim();
  const [text = ''] = code.split('\n');
  for (const [pattern, blocks, readsTable] of RULES) {
    const table = pattern.exec(code)?.groups?.table?.replace(/[(;]+$/, '');
    if (table === undefined) continue;
    const sizeBytes = sizeOf(table);
    if (sizeBytes === undefined || blocks === 'nothing') break;
    const heldMs = CATALOG_MS + (readsTable ? Math.ceil(sizeBytes / BYTES_PER_MS) : 0);
    return { text, table, blocks, heldMs };
  }
  return { text, table: null, blocks: 'nothing', heldMs: 0 };
}

/**
 * What `migrate` would do to a database. Changes nothing and takes no lock that others notice.
 * @param url past any pooler
 */
export async function planMigration(url: string, folder?: string): Promise<MigrationPlan> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connection: { TimeZone: 'UTC' } });
  try {
    const applied = (await readApplied(sql)) ?? new Set();
    const sizes = await sql<{ name: string; bytes: string }[]>`
      SELECT 'gleaner.' || c.relname AS name, coalesce(sum(pg_total_relation_size(t.relid)), 0)::text AS bytes
      FROM pg_class c CROSS JOIN LATERAL pg_partition_tree(c.oid) t
      WHERE c.relnamespace = to_regnamespace('gleaner') AND c.relkind = 'p' GROUP BY c.relname
      UNION ALL
      SELECT 'gleaner.' || c.relname, pg_total_relation_size(c.oid)::text
      FROM pg_class c WHERE c.relnamespace = to_regnamespace('gleaner') AND c.relkind = 'r'`;
    const bytes = new Map(sizes.map(({ name, bytes: size }) => [name, Number(size)]));
    const [found] = await sql<{ exists: boolean }[]>`SELECT to_regnamespace(${ENGINE}) IS NOT NULL AS exists`;
    const missing = readMigrations(folder).filter(({ when }) => !applied.has(when));
    const earlier = missing.some(isAlone) ? await listEarlier(sql, false) : [];
    return {
      mustEnd: earlier.length > 0 ? nameAll(earlier) : null,
      migrations: missing.map(({ tag, isOutside, statements }) => ({
        tag,
        isOutside,
        statements: statements.map((statement) => planStatement(statement, (table) => bytes.get(table))),
      })),
      functions: found?.exists === true ? null : ENGINE,
      waitMs: LOCK_TIMEOUT_MS,
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
