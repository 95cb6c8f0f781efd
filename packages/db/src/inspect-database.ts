import { PAGE_PARSER } from '@gleaner/contracts';
import postgres from 'postgres';
import { ENGINE } from './engine/engine-schema.ts';
import { readApplied, readMigrations } from './migrations.ts';

/** What a database server and this user of it offer. */
export interface DatabaseFacts {
  /** Version of the server, such as `18.1`. */
  version: string;
  /** `server_version_num`, such as 180001. */
  versionNumber: number;
  isSuperuser: boolean;
  /** May create logins for readers: CREATEROLE, or a superuser. */
  canCreateRoles: boolean;
  maxConnections: number;
  /** Connections that only superusers may use. */
  reservedConnections: number;
  /** Names of installed extensions; Gleaner needs none. */
  extensions: string[];
  /** The server's clock minus this machine's, in milliseconds, exact to half of the statement's duration. */
  clockDifferenceMs: number;
  /** Null: the database was never migrated. */
  pendingMigrations: string[] | null;
  /** It has this version's `engine` functions, perhaps beside those of other versions. */
  hasCurrentFunctions: boolean;
  /** Migrations of a newer version than this one. */
  hasNewerMigrations: boolean;
  /** Ids of accounts, 20 at most, with a parser of their own in place of the built-in one: its slug is the same. */
  shadowingAccounts: string[];
}

type OwnFacts = Pick<
  DatabaseFacts,
  'pendingMigrations' | 'hasCurrentFunctions' | 'hasNewerMigrations' | 'shadowingAccounts'
>;

/**
 * Reads facts about a database, and changes nothing.
 * @param url past any pooler
 * @throws what postgres.js throws when the server can't be reached or refuses the user
 */
export async function inspectDatabase(url: string): Promise<DatabaseFacts> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 3,
    onnotice: () => undefined,
    connection: { application_name: 'gleaner-doctor', TimeZone: 'UTC', statement_timeout: 3_000 },
  });
  try {
    return { ...(await readServer(sql)), ...(await readClock(sql)), ...(await readOwnFacts(sql)) };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function readServer(sql: postgres.Sql) {
  const [row] = await sql<Omit<DatabaseFacts, 'clockDifferenceMs' | keyof OwnFacts>[]>`
    SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
      current_setting('server_version_num')::int AS "versionNumber",
      r.rolsuper AS "isSuperuser", r.rolsuper OR r.rolcreaterole AS "canCreateRoles",
      current_setting('max_connections')::int AS "maxConnections",
      current_setting('superuser_reserved_connections')::int AS "reservedConnections",
      ARRAY(SELECT extname::text FROM pg_extension ORDER BY 1) AS extensions
    FROM pg_roles r WHERE r.rolname = current_user`;
  if (row === undefined) throw new Error('pg_roles has no row of the current user');
  return row;
}

/** The connection is open by now, so the statement's duration is one round trip. */
async function readClock(sql: postgres.Sql): Promise<Pick<DatabaseFacts, 'clockDifferenceMs'>> {
  const sentAt = Date.now();
  const [row] = await sql<{ now: number }[]>`
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`;
  return { clockDifferenceMs: Math.round((row?.now ?? 0) - (sentAt + Date.now()) / 2) };
}

async function readOwnFacts(sql: postgres.Sql): Promise<OwnFacts> {
  const applied = await readApplied(sql);
  if (applied === null) {
    return {
      pendingMigrations: null,
      hasCurrentFunctions: false,
      hasNewerMigrations: false,
      shadowingAccounts: [],
    };
  }
  const known = readMigrations();
  const pendingMigrations = known.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag);
  const newest = Math.max(...known.map(({ when }) => when));
  // Slugs came with a later migration than the table.
  const [{ hasSlugs } = { hasSlugs: false }] = await sql<{ hasSlugs: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM pg_attribute
      WHERE attrelid = to_regclass('gleaner.parsers') AND attname = 'slug') AS "hasSlugs"`;
  const shadowing = hasSlugs
    ? await sql<{ id: string }[]>`
        SELECT account_id AS id FROM gleaner.parsers WHERE slug = ${PAGE_PARSER} AND deleted_at IS NULL ORDER BY 1 LIMIT 20`
    : [];
  const [functions] = await sql<{ exist: boolean }[]>`
    SELECT to_regnamespace(${ENGINE}) IS NOT NULL AS exist`;
  return {
    pendingMigrations,
    hasCurrentFunctions: functions?.exist === true,
    hasNewerMigrations: [...applied].some((when) => when > newest),
    shadowingAccounts: shadowing.map(({ id }) => id),
  };
}
