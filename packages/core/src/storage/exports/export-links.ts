import { createHash, randomBytes } from 'node:crypto';
import { EXPORT_LINK_HOURS, toStorableJson } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { requireRoom } from '../../accounts/account-record.ts';
import type { Actor } from '../../accounts/keys/key-ring.ts';
import { baseUrlOf } from '../../platform/config/base-url.ts';
import { write, type Context } from '../../platform/context.ts';
import { repeatWhileFull } from '../../platform/process/repeat-while-full.ts';
import { FILES_PATH } from '../files/file-store.ts';

/** The call that a download link stands for. */
export interface LinkedExport {
  operation: 'exportTable' | 'exportBatch';
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
}

const TOKEN = /^exl_[0-9a-f]{40}$/;
const MOST_LINKS = 1_000;
const REMOVED_AT_ONCE = 5_000;

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Makes a download link for an export that was checked. @throws AppError plan_limit_exceeded */
export function createExportLink(
  ctx: Context,
  { operation, params, query }: LinkedExport,
): Promise<{ url: string; expires_at: string }> {
  const { accountId, keyId } = ctx;
  const token = `exl_${randomBytes(20).toString('hex')}`;
  return write(ctx, async (tx) => {
    const [known] = await tx.execute<{ count: number }>(sql`
      SELECT count(*)::int AS count FROM gleaner.export_links WHERE account_id = ${accountId} AND expires_at > now()`);
    requireRoom(known?.count ?? 0, MOST_LINKS, `an account has at most ${MOST_LINKS} download links`);
    const [row] = await tx.execute<{ expires_at: string }>(sql`
      INSERT INTO gleaner.export_links (digest, account_id, key_id, operation, input, expires_at)
      VALUES (decode(${digestOf(token).toString('hex')}, 'hex'), ${accountId}, ${keyId}, ${operation}, ${toStorableJson({ params, query })}::text::jsonb,
        now() + ${EXPORT_LINK_HOURS} * interval '1 hour') RETURNING expires_at`);
    return {
      url: `${baseUrlOf(ctx.services.config)}${FILES_PATH}/${token}`,
      expires_at: new Date(row?.expires_at ?? 0).toISOString(),
    };
  });
}

/** @returns undefined for a link that never existed, has expired, or whose key or account is gone */
export async function readExportLink(
  db: Database,
  token: string,
): Promise<(LinkedExport & { actor: Actor }) | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const [row] = await db.sql<(Pick<LinkedExport, 'operation'> & Actor & { input: string })[]>`
    SELECT l.operation, l.input::text AS input, l.account_id AS "accountId", l.key_id AS "keyId",
      a.requests_per_minute AS "requestsPerMinute"
    FROM gleaner.export_links l JOIN gleaner.accounts a ON a.id = l.account_id AND a.is_active
    WHERE l.digest = ${digestOf(token)} AND l.expires_at > now() AND (
      EXISTS (SELECT FROM gleaner.api_keys k WHERE k.id = l.key_id AND k.revoked_at IS NULL)
      OR EXISTS (SELECT FROM gleaner.oauth_subjects s WHERE s.id = l.key_id))`;
  if (row === undefined) return undefined;
  const { input, operation, ...actor } = row;
  return { operation, actor, ...(JSON.parse(input) as Pick<LinkedExport, 'params' | 'query'>) };
}

/** Ends the links of a table that is dropped: another one may get its name. */
export async function endTableLinks(
  db: Database,
  { accountId, database, table }: { accountId: string; database: string; table: string },
): Promise<void> {
  await db.sql`DELETE FROM gleaner.export_links WHERE account_id = ${accountId}
    AND input -> 'params' ->> 'id' = ${database} AND input -> 'params' ->> 'table' = ${table}`;
}

/** Removes links that have expired. @returns how many */
export function sweepExportLinks(db: Database): Promise<number> {
  return repeatWhileFull(REMOVED_AT_ONCE, async () => {
    const { count } = await db.sql`
      DELETE FROM gleaner.export_links WHERE digest IN (
        SELECT digest FROM gleaner.export_links WHERE expires_at < now() LIMIT ${REMOVED_AT_ONCE})`;
    return count;
  });
}
