import postgres from 'postgres';

/** What a copy of the cluster's files needs besides them. */
export interface BackupPlace {
  /** The files `backup_label` and `tablespace_map` of the copy; the second is empty when there are no tablespaces. */
  label: string;
  tablespaces: string;
  /** The first and the last file of `pg_wal` that the copy needs. */
  firstWal: string;
  lastWal: string;
}

/**
 * Makes a consistent copy of a running cluster's files possible: Postgres's low-level backup API
 * (https://www.postgresql.org/docs/18/continuous-archiving.html). A slot of this session keeps the WAL, and goes with the
 * session, however it ends.
 * @param url past any pooler, as a superuser
 * @param copyFiles copies the data folder without `pg_wal`
 * @param copyWal copies the files of `pg_wal` that are named; called after `copyFiles`
 */
export async function backUp(
  url: string,
  copyFiles: () => Promise<void>,
  copyWal: (place: BackupPlace) => Promise<void>,
): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => undefined,
    connection: { application_name: 'gleaner-backup', statement_timeout: 0 },
  });
  try {
    await sql`SELECT pg_create_physical_replication_slot(${`gleaner_backup_${process.pid}`}, true, true)`;
    const [begun] = await sql<{ wal: string }[]>`
      SELECT pg_walfile_name(pg_backup_start('gleaner', fast => true)) AS wal`;
    await copyFiles();
    const [ended] = await sql<{ label: string; tablespaces: string; wal: string }[]>`
      SELECT labelfile AS label, spcmapfile AS tablespaces, pg_walfile_name(lsn) AS wal
      FROM pg_backup_stop(wait_for_archive => false)`;
    if (!begun || !ended) throw new Error('pg_backup_start or pg_backup_stop returned nothing');
    const { label, tablespaces, wal: lastWal } = ended;
    await copyWal({ label, tablespaces, firstWal: begun.wal, lastWal });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
