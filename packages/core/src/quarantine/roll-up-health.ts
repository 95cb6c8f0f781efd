import { toStorableJson, type HealthState } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { readerOf } from '@gleaner/extractors';
import type { Services } from '../platform/context.ts';
import { mayBeOneRow } from '../platform/groups/database-errors.ts';
import { forEachAlone } from '../platform/process/for-each-alone.ts';
import { deliverAdmitted, type AdmittedRow } from '../runs/deliveries/admitted.ts';
import { absentAfter, updateAbsent } from '../parsers/health/absent-fields.ts';
import { countTimes, type Tx } from '../parsers/health/count-times.ts';
import {
  addDelta,
  brokenFields,
  emptyStats,
  isCalm,
  stateOf,
  isStructureChanged,
  MAX_HOSTS,
  OTHER_HOSTS,
  type HealthDelta,
  type HealthStats,
} from '@gleaner/learn/drift';

/** Deltas of one transaction. */
const AT_ONCE = 1_000;

interface DeltaRow {
  id: string;
  account_id: string;
  parser_id: string;
  version: number;
  delta: HealthDelta;
}

interface KnownRow {
  parser_id: string;
  version: number;
  host: string;
  state: HealthState;
  stats: HealthStats;
  changed_at: string;
}

/** The deltas of one parser, version and host, and what they lead to. */
interface Group {
  accountId: string;
  parserId: string;
  version: number;
  host: string;
  rows: DeltaRow[];
}

interface Rolled extends Group {
  state: HealthState;
  stats: HealthStats;
  pages: number;
  isCalm: boolean;
  isWorse: boolean;
  /** It has become healthy. */
  isResolved: boolean;
}

/** A parser that has just been found broken on a host. */
type Alarm = Pick<Group, 'accountId' | 'parserId'>;

type RollUpServices = Pick<Services, 'db' | 'queue' | 'log'>;

function groupsOf(rows: readonly DeltaRow[]): Group[] {
  const ordered = [...rows].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
  const groups = Map.groupBy(ordered, (row) => `${row.parser_id}/${row.version}/${row.delta.host}`);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { account_id: accountId, parser_id: parserId, version, delta } = first;
    return [{ accountId, parserId, version, host: delta.host, rows: own }];
  });
}

/** Puts hosts that are new to a parser together when it has enough of them. */
async function boundHosts(tx: Tx, groups: readonly Group[], known: ReadonlySet<string>): Promise<Group[]> {
  const fresh = groups.filter((group) => group.host !== OTHER_HOSTS && !known.has(keyOf(group)));
  if (fresh.length === 0) return [...groups];
  const counts = await tx<{ parser_id: string; version: number; count: number }[]>`
    SELECT parser_id, version, count(*)::int AS count FROM gleaner.parser_health
    WHERE parser_id = ANY(${fresh.map(({ parserId }) => parserId)}::text[]) GROUP BY 1, 2`;
  const used = new Map(counts.map((row) => [`${row.parser_id}/${row.version}`, row.count]));
  const others = new Map<string, Group>();
  return groups.filter((group) => {
    const parser = `${group.parserId}/${group.version}`;
    const count = used.get(parser) ?? 0;
    if (fresh.includes(group) && count < MAX_HOSTS) used.set(parser, count + 1);
    if (group.host !== OTHER_HOSTS && (!fresh.includes(group) || count < MAX_HOSTS)) return true;
    const other = others.get(parser);
    if (other === undefined) {
      group.host = OTHER_HOSTS;
      others.set(parser, group);
      return true;
    }
    other.rows.push(...group.rows);
    return false;
  });
}

function keyOf({ parserId, version, host }: Pick<Group, 'parserId' | 'version' | 'host'>): string {
  return `${parserId}/${version}/${host}`;
}

/** What is known of these hosts, and of the other hosts of their parsers. */
async function readKnown(tx: Tx, groups: readonly Group[]): Promise<Map<string, KnownRow>> {
  const keys = groups.flatMap(({ parserId, version, host }) => [
    { parser_id: parserId, version, host },
    { parser_id: parserId, version, host: OTHER_HOSTS },
  ]);
  const rows = await tx<KnownRow[]>`
    SELECT DISTINCT ON (h.parser_id, h.version, h.host) h.parser_id, h.version, h.host, h.state, h.stats, h.changed_at
    FROM jsonb_to_recordset(${toStorableJson(keys)}::text::jsonb) k (parser_id text, version int, host text)
    JOIN gleaner.parser_health h ON h.parser_id = k.parser_id AND h.version = k.version AND h.host = k.host`;
  return new Map(rows.map((row) => [`${row.parser_id}/${row.version}/${row.host}`, row]));
}

/** For hosts that are new to a version: the fields that went missing on them under the version before. */
async function readAbsent(
  tx: Tx,
  groups: readonly Group[],
  known: ReadonlyMap<string, KnownRow>,
): Promise<Map<string, Record<string, string>>> {
  const fresh = groups
    .filter((group) => group.version > 1 && !known.has(keyOf(group)))
    .map(({ parserId, version, host }) => ({ parser_id: parserId, version, host }));
  if (fresh.length === 0) return new Map();
  const rows = await tx<KnownRow[]>`
    SELECT DISTINCT ON (k.parser_id, k.version, k.host) k.parser_id, k.version, k.host, h.stats, h.changed_at
    FROM jsonb_to_recordset(${toStorableJson(fresh)}::text::jsonb) k (parser_id text, version int, host text)
    JOIN gleaner.parser_health h ON h.parser_id = k.parser_id AND h.version < k.version AND h.host = k.host
    ORDER BY k.parser_id, k.version, k.host, h.version DESC`;
  return new Map(rows.map((row) => [`${row.parser_id}/${row.version}/${row.host}`, absentOf(row)]));
}

function absentOf({ stats, changed_at: changedAt }: KnownRow): Record<string, string> {
  return absentAfter(stats, new Date(changedAt).toISOString());
}

/** Pages of an earlier reader than the newest are left out: they are other evidence. */
function rollUpOne(
  group: Group,
  found: KnownRow | undefined,
  absentBefore: Record<string, string> | undefined,
): Rolled {
  const reader = Math.max(...group.rows.map(({ delta }) => readerOf(delta)), readerOf(found?.stats ?? {}));
  const known = found !== undefined && readerOf(found.stats) === reader ? found : undefined;
  const absent = found === undefined ? absentBefore : absentOf(found);
  const before = known?.state ?? 'healthy';
  const stats: HealthStats = known?.stats ?? { reader, ...emptyStats(), ...(absent && { absent }) };
  let pages = 0;
  for (const { delta } of group.rows) {
    if (readerOf(delta) < reader) continue;
    addDelta(stats, delta);
    pages += delta.pages;
  }
  updateAbsent(stats);
  const state = stateOf(stats);
  const lastRun = group.rows.at(-1)?.delta.runId;
  if (state === 'healthy') delete stats.alarmRun;
  else if (before === 'healthy' && lastRun !== undefined) stats.alarmRun = lastRun;
  const isWorse = state !== 'healthy' && (before === 'healthy' || state !== before);
  const isResolved = state === 'healthy' && before !== 'healthy';
  return { ...group, state, stats, pages, isCalm: isCalm(stats), isWorse, isResolved };
}

async function writeRolled(tx: Tx, rolled: readonly Rolled[]): Promise<void> {
  const rows = rolled.map(({ accountId, parserId, version, host, state, pages, stats, isCalm: calm }) => ({
    account_id: accountId,
    parser_id: parserId,
    version,
    host,
    state,
    pages,
    stats,
    next: state === 'healthy' ? (calm ? 'releasing' : null) : 'held',
  }));
  // Suspect rows were single pages that differ: when all is calm, they are written as other rows are.
  await tx`
    WITH rolled AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${toStorableJson(rows)}::text::jsonb) r (account_id text, parser_id text,
        version int, host text, state text, pages bigint, stats jsonb, next text)
    ), written AS (
      INSERT INTO gleaner.parser_health AS h (account_id, parser_id, version, host, state, pages, stats)
      SELECT r.account_id, r.parser_id, r.version, r.host, r.state, r.pages, r.stats FROM rolled r
      ON CONFLICT (parser_id, version, host) DO UPDATE SET state = excluded.state,
        pages = excluded.pages + CASE WHEN coalesce(h.stats -> 'reader', '1') = coalesce(excluded.stats -> 'reader', '1')
          THEN h.pages ELSE 0 END,
        stats = excluded.stats, updated_at = now(),
        changed_at = CASE WHEN h.state = excluded.state THEN h.changed_at ELSE now() END
    )
    UPDATE gleaner.quarantined_rows q SET state = r.next FROM rolled r
    WHERE r.next IS NOT NULL AND q.parser_id = r.parser_id AND q.version = r.version AND q.host = r.host
      AND q.state = 'suspect'`;
}

async function readNames(tx: Tx, groups: readonly { parserId: string }[]): Promise<Map<string, string>> {
  if (groups.length === 0) return new Map();
  const ids = groups.map(({ parserId }) => parserId);
  const rows = await tx<{ id: string; name: string }[]>`
    SELECT id, name FROM gleaner.parsers WHERE id = ANY (${ids}::text[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function rollUp(tx: Tx, rows: readonly DeltaRow[]): Promise<Alarm[]> {
  const found = groupsOf(rows);
  const known = await readKnown(tx, found);
  const groups = await boundHosts(tx, found, new Set(known.keys()));
  const absent = await readAbsent(tx, groups, known);
  const rolled = groups.map((group) => rollUpOne(group, known.get(keyOf(group)), absent.get(keyOf(group))));
  await writeRolled(tx, rolled);
  await countTimes(tx, rows);
  const worse = rolled.filter(({ isWorse }) => isWorse);
  const told = rolled.filter(({ isWorse, isResolved }) => isWorse || isResolved);
  const names = await readNames(tx, told);
  for (const one of told) {
    const { accountId, parserId, version, host, state, stats, isResolved } = one;
    const event = {
      parser_id: parserId,
      parser: names.get(parserId) ?? null,
      version,
      host,
      state,
      fields: brokenFields(stats),
      is_structure_changed:
        stats.structure === undefined ? null : (isStructureChanged(stats.structure) ?? null),
      example: stats.example ?? null,
    };
    await tx`SELECT ${tx(ENGINE)}.emit_event(${accountId}, 'parser.drift', ${toStorableJson(event)}::text::json,
      p_resolved => ${isResolved})`;
  }
  return worse.map(({ accountId, parserId }) => ({ accountId, parserId }));
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
  await forEachAlone(
    runs,
    async ({ id }) => {
      const rows = await db.sql<
        AdmittedRow[]
      >`SELECT (delivery).* FROM ${db.sql(ENGINE)}.cancel_run(${accountId}, ${id})`;
      await deliverAdmitted(queue, log, rows);
    },
    1,
  );
}

/** Takes deltas and adds them, if this process may. @param ids only these; null: the first ones */
function rollUpSome(
  { db }: RollUpServices,
  ids: readonly string[] | null,
): Promise<{ count: number; alarms: Alarm[] }> {
  return db.sql.begin(async (tx) => {
    const [lock] = await tx<
      { is_ours: boolean }[]
    >`SELECT pg_try_advisory_xact_lock(${tx(ENGINE)}.duty_lock('health')) AS is_ours`;
    if (lock?.is_ours !== true) return { count: 0, alarms: [] };
    const rows = await tx<DeltaRow[]>`
      DELETE FROM gleaner.health_deltas WHERE id = ANY (ARRAY(
        SELECT id FROM gleaner.health_deltas WHERE ${ids === null} OR id = ANY(${[...(ids ?? [])]}::text[]::bigint[])
        ORDER BY id LIMIT ${AT_ONCE}))
      RETURNING id::text, account_id, parser_id, version, delta`;
    return { count: rows.length, alarms: rows.length === 0 ? [] : await rollUp(tx, rows) };
  });
}

/** Adds the deltas of each parser alone, and drops those that Postgres refuses even so. */
async function rollUpSingly(services: RollUpServices): Promise<{ count: number; alarms: Alarm[] }> {
  const rows = await services.db.sql<{ ids: string[]; parser_id: string }[]>`
    SELECT array_agg(d.id::text) AS ids, d.parser_id FROM (
      SELECT id, parser_id FROM gleaner.health_deltas ORDER BY id LIMIT ${AT_ONCE}
    ) d GROUP BY d.parser_id`;
  const alarms: Alarm[] = [];
  let count = 0;
  for (const { ids, parser_id: parser } of rows) {
    try {
      const done = await rollUpSome(services, ids);
      count += done.count;
      alarms.push(...done.alarms);
    } catch (error) {
      if (!mayBeOneRow(error)) throw error;
      services.log.error({ err: error, parser, count: ids.length }, 'health counts of a parser were dropped');
      await services.db.sql`DELETE FROM gleaner.health_deltas WHERE id = ANY(${ids}::text[]::bigint[])`;
    }
  }
  return { count, alarms };
}

/**
 * Adds what chunks saw to the health of parsers, in the order in which it was written, and raises `parser.drift`. One
 * process at a time does it.
 * @returns how many deltas were added
 */
export async function rollUpHealth(services: RollUpServices): Promise<number> {
  const { count, alarms } = await rollUpSome(services, null).catch((error: unknown) => {
    if (!mayBeOneRow(error)) throw error;
    return rollUpSingly(services);
  });
  await forEachAlone(alarms, (alarm) => pauseFor(services, alarm), 1);
  return count;
}
