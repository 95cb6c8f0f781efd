import { AppError } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { OutputOf } from '../../platform/context.ts';
import { invalid } from '../../platform/invalid-request.ts';

/** How far the erasure of an account is; its receipt when it has ended. */
export type Erasure = OutputOf<'eraseAccount'>['erasure'];

/**
 * Closes an account for good: its keys are gone and its crons stop. The leading scheduler removes the rest. Called again, it
 * says how far that is.
 * @param given account: identifier or name; name: must be the account's, exactly
 * @throws AppError not_found, invalid_request
 */
export async function beginErasure(
  { sql }: Database,
  { account, name }: { account: string; name: string },
): Promise<Erasure> {
  const erasure = await sql.begin(async (tx) => {
    await tx`SET LOCAL lock_timeout = '5s'`;
    const [known] = await tx<{ id: string; name: string }[]>`
      SELECT id, name FROM gleaner.accounts WHERE id = ${account} OR name = ${account} FOR NO KEY UPDATE`;
    if (known !== undefined) {
      if (known.name !== name) throw invalid('name', 'must be the exact name of the account that is erased');
      await tx`UPDATE gleaner.accounts SET is_active = false WHERE id = ${known.id} AND is_active`;
      await tx`DELETE FROM gleaner.api_keys WHERE account_id = ${known.id}`;
      await tx`UPDATE gleaner.crons SET is_enabled = false, next_fire_at = NULL WHERE account_id = ${known.id} AND is_enabled`;
      await tx`INSERT INTO gleaner.erasures (account_id, name) VALUES (${known.id}, ${known.name}) ON CONFLICT DO NOTHING`;
    }
    const [row] = await tx<
      {
        id: string;
        name: string;
        begun_at: string;
        ended_at: string | null;
        removed: Record<string, number>;
      }[]
    >`
      SELECT account_id AS id, name, begun_at, ended_at, removed FROM gleaner.erasures
      WHERE (account_id = ${known?.id ?? account} OR name = ${account}) AND name = ${name}
      ORDER BY begun_at DESC LIMIT 1`;
    return row;
  });
  if (erasure === undefined) throw new AppError('not_found', { detail: `there is no account ${account}` });
  const { id, begun_at: begun, ended_at: ended, removed } = erasure;
  return {
    account_id: id,
    name: erasure.name,
    begun_at: new Date(begun).toISOString(),
    ended_at: ended === null ? null : new Date(ended).toISOString(),
    removed,
  };
}
