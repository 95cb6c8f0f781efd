import type { Database } from '@gleaner/db';
import { ALIVE_SECONDS } from '../workers/heartbeat.ts';
import { BROWSER_SANDBOX } from './metrics.ts';

/**
 * Whether Chromium's sandbox holds in all live workers that have loaded a page in a browser; undefined when none has.
 * Workers report it with their metrics.
 */
export async function readSandbox(db: Database): Promise<'on' | 'off' | undefined> {
  const path = `$[*] ? (@.name == "${BROWSER_SANDBOX}").values[*].labels.state`;
  const rows = await db.sql<{ state: string }[]>`
    SELECT DISTINCT jsonb_path_query(metrics, ${path}::jsonpath) #>> '{}' AS state FROM gleaner.workers
    WHERE metrics IS NOT NULL AND seen_at > now() - ${ALIVE_SECONDS} * interval '1 second'`;
  if (rows.length === 0) return undefined;
  return rows.every(({ state }) => state === 'on') ? 'on' : 'off';
}
