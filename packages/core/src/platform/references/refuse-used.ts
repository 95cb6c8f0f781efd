import { AppError } from '@gleaner/contracts';
import { ENGINE, type Executor } from '@gleaner/db';
import { sql } from 'drizzle-orm';

const SHOWN = 5;

/** Checks that no other resource uses a parser, database or workflow. @throws AppError in_use with the users */
export async function refuseUsed(
  db: Executor,
  accountId: string,
  kind: 'parser' | 'database' | 'workflow',
  id: string,
): Promise<void> {
  const users = await db.execute<{ kind: string; id: string; name: string }>(
    sql`SELECT * FROM ${sql.identifier(ENGINE)}.list_users(${accountId}, ${sql.raw(`p_${kind}`)} => ${id})`,
  );
  if (users.length === 0) return;
  const named = users.slice(0, SHOWN).map((user) => `${user.kind} ${user.id} (${user.name})`);
  throw new AppError('in_use', {
    detail: `it is used by ${named.join(', ')}${users.length > SHOWN ? ' and others' : ''}`,
    hint: 'Delete or change the resources that use it. Wait for runs to end, or cancel them.',
  });
}
