import type { HealthState } from '@gleaner/contracts';
import type { Perform } from '../../platform/context.ts';
import { brokenFields } from './add-delta.ts';
import type { HealthStats } from './health-stats.ts';

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
    WHERE h.account_id = ${ctx.accountId} AND h.state <> 'healthy' AND (h.version = p.version OR EXISTS (
      SELECT FROM gleaner.crons c WHERE c.account_id = h.account_id AND c.is_enabled
        AND c.target ->> 'parserId' = h.parser_id AND (c.target ->> 'version')::int = h.version))
    ORDER BY h.changed_at DESC, h.parser_id, h.host LIMIT ${MOST}::int`;
  return {
    alarms: rows.map(({ parser_id: id, name, stats, since, ...row }) => ({
      ...row,
      parser: { id, name },
      fields: brokenFields(stats),
      since: new Date(since).toISOString(),
    })),
  };
};
