import { ERRORS, ODDITIES, type ErrorCode, type Oddity, type HealthState } from '@gleaner/contracts';
import { tables, type Database } from '@gleaner/db';
import { desc, eq } from 'drizzle-orm';
import { readParser } from '../read-parsers.ts';
import type { Context, Perform } from '../../platform/context.ts';
import { readDays } from './count-times.ts';
import {
  isFieldBroken,
  testedCount,
  brokenFields,
  thresholdOf,
  type FieldHealth,
  type HealthStats,
  isStructureChanged,
  usualValues,
} from '@gleaner/learn/drift';
import { reportedState } from './absent-fields.ts';

const { parserHealth } = tables;

/** Workers stop judging by what is forgotten within a second; the next pages start new statistics. */
export const resetParserHealth: Perform<'resetParserHealth'> = async (ctx, { params, body }) => {
  const { orm, sql } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const { count } = await sql`
    DELETE FROM gleaner.parser_health
    WHERE parser_id = ${parser.id} AND host = ${body.host}
      ${body.version === undefined ? sql`` : sql`AND version = ${body.version}`}`;
  return { reset: count };
};

/** Statistics of a version and host that no page has changed for so long say nothing of the site as it is. */
const KEPT_DAYS = 90;
const REMOVED_AT_ONCE = 5_000;

/** Removes the health of versions on hosts that are no longer read. @returns how many */
export async function sweepHealth({ sql }: Database): Promise<number> {
  const { count } = await sql`
    DELETE FROM gleaner.parser_health WHERE ctid IN (
      SELECT ctid FROM gleaner.parser_health
      WHERE updated_at < now() - ${KEPT_DAYS}::int * interval '1 day' LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;
  return count;
}

const MAX_HOSTS = 200;

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function causesOf({ isBroken, values }: FieldHealth): (Oddity | 'missing')[] {
  const odd = ODDITIES.filter((oddity) => values?.broken[oddity] !== undefined);
  return isBroken ? ['missing', ...odd] : odd;
}

type Example = NonNullable<HealthStats['example']>;

function keyOf({ run_id, seq }: Pick<Example, 'run_id' | 'seq'>): string {
  return `${run_id}/${seq}`;
}

/** Identifiers of the kept pages of these tasks, by run and place. */
async function findPages(ctx: Context, examples: readonly Example[]): Promise<Map<string, string>> {
  if (examples.length === 0) return new Map();
  const rows = await ctx.services.db.sql<{ id: string; run_id: string; seq: number }[]>`
    SELECT p.id, r.id AS run_id, p.seq
    FROM unnest(${examples.map(({ run_id }) => run_id)}::text[], ${examples.map(({ seq }) => seq)}::int[]) AS e (run_id, seq)
    JOIN gleaner.runs r ON r.id = e.run_id
    JOIN gleaner.kept_pages p ON p.run_no = r.no AND p.seq = e.seq
    WHERE p.account_id = ${ctx.accountId} AND p.expires_at > now()`;
  return new Map(rows.map((row) => [keyOf(row), row.id]));
}

export const getParserHealth: Perform<'getParserHealth'> = async (ctx, { params }) => {
  const { orm } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const rows = await orm
    .select()
    .from(parserHealth)
    .where(eq(parserHealth.parserId, parser.id))
    .orderBy(desc(parserHealth.updatedAt))
    .limit(MAX_HOSTS);
  // Written by rollUpHealth.
  const all = rows.map((row) => ({ ...row, stats: row.stats as HealthStats }));
  const pages = await findPages(
    ctx,
    all.flatMap(({ stats }) => stats.example ?? []),
  );
  return {
    days: await readDays(ctx.services.db, parser.id),
    hosts: all.map((row) => {
      const { fields, failures, structure, example } = row.stats;
      const threshold = thresholdOf(testedCount(row.stats));
      const isChanged = structure && isStructureChanged(structure);
      return {
        version: row.version,
        is_current: row.version === parser.version,
        host: row.host,
        state: reportedState(row.state, row.stats),
        pages: row.pages,
        fields: Object.entries(fields).map(([path, field]) => ({
          path,
          fill_rate: field.pages === 0 ? null : round(field.filled / field.pages),
          pages: Math.round(field.pages),
          is_broken: isFieldBroken(field),
          absent_since: row.stats.absent?.[path] ?? null,
          broken_by: causesOf(field),
          values: field.values === undefined ? null : usualValues(field.values.known),
          suspicion: isFieldBroken(field)
            ? 1
            : round(Math.min(1, Math.max(field.sum, ...Object.values(field.values?.sums ?? {})) / threshold)),
        })),
        structure:
          structure === undefined || isChanged === undefined
            ? null
            : { usual: round(structure.usual), recent: round(structure.recent), is_changed: isChanged },
        failures: Object.entries(failures).map(([code, count]) => ({
          error: ERRORS[code as ErrorCode].text,
          count,
        })),
        example: example === undefined ? null : { ...example, page: pages.get(keyOf(example)) ?? null },
        changed_at: row.changedAt,
        updated_at: row.updatedAt,
      };
    }),
  };
};

const MOST = 1_000;

interface AlarmRow {
  parser_id: string;
  name: string;
  version: number;
  host: string;
  state: HealthState;
  stats: HealthStats;
  since: string;
}

/** The alarms of an account. Badges, programs and agents all read them here. */
export const listAlarms: Perform<'listAlarms'> = async (ctx) => {
  // An earlier version counts only while a cron still reads with it.
  const rows = await ctx.services.db.sql<AlarmRow[]>`
    SELECT h.parser_id, p.name, h.version, h.host, h.state, h.stats, least(h.changed_at, r.created_at) AS since
    FROM gleaner.parser_health h
    JOIN gleaner.parsers p ON p.id = h.parser_id AND p.deleted_at IS NULL
    LEFT JOIN gleaner.runs r ON r.id = h.stats ->> 'alarmRun'
    WHERE h.account_id = ${ctx.accountId} AND (h.state <> 'healthy' OR h.stats ? 'absent') AND (h.version = p.version OR EXISTS (
      SELECT FROM gleaner.crons c WHERE c.account_id = h.account_id AND c.is_enabled
        AND c.target ->> 'parserId' = h.parser_id AND (c.target ->> 'version')::int = h.version))
    ORDER BY h.changed_at DESC, h.parser_id, h.host LIMIT ${MOST}::int`;
  return {
    alarms: rows.map(({ parser_id: id, name, state, stats, since, ...row }) => ({
      ...row,
      state: reportedState(state, stats),
      parser: { id, name },
      fields: [...new Set([...brokenFields(stats), ...Object.keys(stats.absent ?? {})])],
      since: new Date(since).toISOString(),
    })),
  };
};
