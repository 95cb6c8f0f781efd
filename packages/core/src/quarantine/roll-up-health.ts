import { toStorableJson } from '@gleaner/contracts';
import type { Services } from '../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../runs/deliveries/admitted.ts';
import { addDelta, brokenFields, emptyStats, isCalm, stateOf } from '../health/add-delta.ts';
import { isStructureChanged } from '../health/structure.ts';
import type { HealthDelta, HealthState, HealthStats } from '../health/health-stats.ts';

/** Deltas of one transaction. */
const AT_ONCE = 1_000;

interface DeltaRow {
  id: string;
  account_id: string;
  parser_id: string;
  version: number;
  delta: HealthDelta;
}

interface HealthRow {
  state: HealthState;
  stats: HealthStats;
}

/** A parser that has just been found broken on a host. */
interface Alarm {
  accountId: string;
  parserId: string;
}

type RollUpServices = Pick<Services, 'db' | 'queue' | 'log'>;
type Tx = Parameters<Parameters<Services['db']['sql']['begin']>[1]>[0];

/** Adds the deltas of one parser and host. @returns whether it is worse than before */
async function rollUpOne(tx: Tx, rows: readonly DeltaRow[]): Promise<Alarm | undefined> {
  const [first] = rows;
  if (first === undefined) return undefined;
  const { account_id: accountId, parser_id: parserId, version } = first;
  const { host } = first.delta;
  const [known] = await tx<HealthRow[]>`
    SELECT state, stats FROM gleaner.parser_health
    WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host} FOR UPDATE`;
  const before = known?.state ?? 'healthy';
  const stats = known?.stats ?? emptyStats();
  let pages = 0;
  for (const { delta } of rows) {
    addDelta(stats, delta);
    pages += delta.pages;
  }
  const state = stateOf(stats);
  await tx`
    INSERT INTO gleaner.parser_health AS h (account_id, parser_id, version, host, state, pages, stats)
    VALUES (${accountId}, ${parserId}, ${version}, ${host}, ${state}, ${pages}, ${toStorableJson(stats)}::text::jsonb)
    ON CONFLICT (parser_id, version, host) DO UPDATE SET state = excluded.state, pages = h.pages + excluded.pages,
      stats = excluded.stats, updated_at = now(),
      changed_at = CASE WHEN h.state = excluded.state THEN h.changed_at ELSE now() END`;
  if (state !== 'healthy') {
    await tx`UPDATE gleaner.quarantined_rows SET state = 'held'
      WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host} AND state = 'suspect'`;
  } else if (isCalm(stats)) {
    // They were single pages that differ: they are written as other rows are.
    await tx`UPDATE gleaner.quarantined_rows SET state = 'releasing'
      WHERE parser_id = ${parserId} AND version = ${version} AND host = ${host} AND state = 'suspect'`;
  }
  if (state === 'healthy' || (before !== 'healthy' && state === before)) return undefined;
  const event = {
    parser_id: parserId,
    version,
    host,
    state,
    fields: brokenFields(stats),
    is_structure_changed:
      stats.structure === undefined ? null : (isStructureChanged(stats.structure) ?? null),
    example: stats.example ?? null,
  };
  await tx`SELECT engine.emit_event(${accountId}, 'parser.drift', ${toStorableJson(event)}::text::json)`;
  return { accountId, parserId };
}

/** For sinks with `on_drift: pause`: pauses their crons and cancels their runs. */
async function pauseFor({ db, queue, log }: RollUpServices, { accountId, parserId }: Alarm): Promise<void> {
  await db.sql`
    UPDATE gleaner.crons SET is_enabled = false, next_fire_at = NULL, paused_reason = 'the parser drifted',
      definition = definition + 1, is_mirrored = false, updated_at = now()
    WHERE account_id = ${accountId} AND is_enabled AND target ->> 'parserId' = ${parserId}
      AND sink ->> 'on_drift' = 'pause'`;
  const runs = await db.sql<{ id: string }[]>`
    SELECT id FROM gleaner.runs WHERE account_id = ${accountId} AND state IN ('pending', 'running')
      AND target ->> 'parserId' = ${parserId} AND sink ->> 'on_drift' = 'pause'`;
  for (const { id } of runs) {
    const rows = await db.sql<AdmittedRow[]>`SELECT (delivery).* FROM engine.cancel_run(${accountId}, ${id})`;
    await deliverAdmitted(queue, log, rows);
  }
}

/**
 * Adds what chunks saw to the health of parsers, in the order in which it was written, and raises `parser.drift`. One
 * process at a time does it.
 * @returns how many deltas were added
 */
export async function rollUpHealth(services: RollUpServices): Promise<number> {
  const { count, alarms } = await services.db.sql.begin(async (tx) => {
    const [lock] = await tx<
      { is_ours: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(engine.duty_lock('health')) AS is_ours`;
    if (lock?.is_ours !== true) return { count: 0, alarms: [] };
    const rows = await tx<DeltaRow[]>`
      DELETE FROM gleaner.health_deltas WHERE id IN (
        SELECT id FROM gleaner.health_deltas ORDER BY id LIMIT ${AT_ONCE})
      RETURNING id::text, account_id, parser_id, version, delta`;
    const ordered = [...rows].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
    const groups = Map.groupBy(ordered, (row) => `${row.parser_id}/${row.version}/${row.delta.host}`);
    const found: Alarm[] = [];
    for (const own of groups.values()) {
      const alarm = await rollUpOne(tx, own);
      if (alarm !== undefined) found.push(alarm);
    }
    return { count: rows.length, alarms: found };
  });
  for (const alarm of alarms) await pauseFor(services, alarm);
  return count;
}
