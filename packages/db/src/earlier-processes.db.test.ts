import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createDatabase, type Database } from './database.ts';
import { applyAlone } from './earlier-processes.ts';
import { ENGINE } from './engine/engine-schema.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS_FOLDER, readMigrations } from './migrations.ts';
import { planMigration } from './plan-migration.ts';
import { createTestDatabase } from './testing/index.ts';

const { db, url, close } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'gleaner-migrations-'));
const sessions: Database[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await db.sql`DELETE FROM gleaner.processes`;
});
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

let added = 0;

/** A folder with one more migration, beside which no worker and no scheduler may run. It makes a table `t_<n>`. */
async function addAlone(): Promise<{ migrationsFolder: string; exists(): Promise<boolean> }> {
  added += 1;
  const table = `gleaner.t_${added}`;
  const migrationsFolder = join(folder, `${added}`);
  await cp(MIGRATIONS_FOLDER, migrationsFolder, { recursive: true });
  const file = join(migrationsFolder, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(file, 'utf8')) as { entries: object[] };
  const tag = `9999_test_${added}`;
  journal.entries.push({ idx: 9999, version: '7', when: 2_000_000_000_000 + added, tag, breakpoints: true });
  await writeFile(file, JSON.stringify(journal));
  const text = `-- without earlier workers and schedulers\nCREATE TABLE ${table} (id integer)`;
  await writeFile(join(migrationsFolder, `${tag}.sql`), text);
  return {
    migrationsFolder,
    exists: async () => {
      const [row] = await db.sql<{ exists: boolean }[]>`SELECT to_regclass(${table}) IS NOT NULL AS exists`;
      return row?.exists === true;
    },
  };
}

/** As a process reports itself. */
async function report(id: string, kind: string, agoSeconds = 0): Promise<void> {
  await db.sql`
    INSERT INTO gleaner.processes (id, kind, version, engine, host, pid, seen_at)
    VALUES (${id}, ${kind}, '0.1.0 (ea3d4ebfd128)', ${ENGINE}, ${`host-of-${id}`}, 7,
      now() - ${agoSeconds} * interval '1 s')`;
}

async function connect(kind: string): Promise<void> {
  const session = createDatabase(url, { max: 1, applicationName: `gleaner-${kind}` });
  sessions.push(session);
  await session.sql`SELECT 1`;
}

it('a migration names the workers and schedulers beside which it cannot run, and changes nothing', async () => {
  const { migrationsFolder, exists } = await addAlone();
  await Promise.all([connect('worker'), connect('scheduler'), connect('api')]);
  await Promise.all([report('w', 'worker'), report('s', 'scheduler'), report('a', 'api')]);
  await expect(migrate(url, { migrationsFolder, waitMs: 0 })).rejects.toThrow(
    "this migration can't run beside worker 0.1.0 (ea3d4ebfd128) on host host-of-w (pid 7), scheduler 0.1.0 (ea3d4ebfd128) on host host-of-s (pid 7) of an earlier version: stop them with SIGTERM (they give their chunks back, which costs no attempt; the API may go on), then migrate again",
  );
  expect(await exists()).toBe(false);
  const plan = await planMigration(url, migrationsFolder);
  expect(plan.mustEnd).toContain('worker 0.1.0 (ea3d4ebfd128) on host host-of-w (pid 7), scheduler');
  expect(plan.mustEnd).not.toContain('host-of-a');
});

it('a migration waits until the last of them has ended, and says so', async () => {
  const { migrationsFolder, exists } = await addAlone();
  await connect('worker');
  await report('w', 'worker');
  const said: string[] = [];
  const migrated = migrate(url, { migrationsFolder, onWait: (sentence) => said.push(sentence) });
  await expect
    .poll(() => said)
    .toEqual([expect.stringMatching(/^waiting for worker 0\.1\.0 .*90 s at most/)]);
  expect(await exists()).toBe(false);
  await db.sql`DELETE FROM gleaner.processes WHERE id = 'w'`;
  await migrated;
  expect(await exists()).toBe(true);
  expect(said).toHaveLength(1);
  expect(await planMigration(url, migrationsFolder)).toMatchObject({ mustEnd: null });
});

it('a process that was killed delays a migration for seconds, and not behind a pooler for longer than its row', async () => {
  const killed = await addAlone();
  await Promise.all([report('w', 'worker'), report('s', 'scheduler')]);
  await migrate(url, { migrationsFolder: killed.migrationsFolder, waitMs: 0 });
  expect(await killed.exists()).toBe(true);
  const pooled = await addAlone();
  const options = { migrationsFolder: pooled.migrationsFolder, waitMs: 0, isPooled: true };
  await expect(migrate(url, options)).rejects.toThrow(/host-of-w/);
  await db.sql`UPDATE gleaner.processes SET seen_at = now() - interval '76 s'`;
  await migrate(url, options);
  expect(await pooled.exists()).toBe(true);
});

it('a worker that starts while the migration begins stops it', async () => {
  const { migrationsFolder, exists } = await addAlone();
  const migration = readMigrations(migrationsFolder).at(-1);
  if (!migration) throw new Error('there is no migration');
  await report('w', 'worker');
  await db.withSession(async (session) => {
    await expect(applyAlone(session, migration, new Set(['other']))).rejects.toThrow(/host-of-w/);
    expect(await exists()).toBe(false);
    await applyAlone(session, migration, new Set(['w']));
  });
  expect(await exists()).toBe(true);
});

it('workers and schedulers of versions before turns cannot start, and API processes can', async () => {
  const schema = 'engine_000000000000';
  const insert = () => db.sql`INSERT INTO gleaner.engine_versions (schema) VALUES (${schema})`;
  await expect(insert()).rejects.toThrow(
    'the database belongs to a later version of Gleaner: start that one',
  );
  await db.sql`ALTER TABLE gleaner.engine_versions DISABLE TRIGGER engine_versions_refuse_earlier`;
  await insert();
  await db.sql`ALTER TABLE gleaner.engine_versions ENABLE TRIGGER engine_versions_refuse_earlier`;
  const start = (kind: string) => db.sql`
    INSERT INTO gleaner.processes (id, kind, version, engine, host, pid) VALUES (${kind}, ${kind}, '1', ${schema}, '', 1)
    ON CONFLICT (id) DO UPDATE SET seen_at = now()`;
  // The code makes such a process end, also one that stood still meanwhile.
  await expect(start('worker')).rejects.toMatchObject({ code: '23503' });
  await expect(start('scheduler')).rejects.toThrow('beside which a scheduler of this version can not run');
  await start('api');
});
