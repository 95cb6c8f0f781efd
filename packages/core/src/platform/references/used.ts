import { AppError, PAGE_PARSER, toStorableJson, type CronTarget, type Sink } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, isNull, sql } from 'drizzle-orm';

const { crons, databases, parsers, webhooks, workflows } = tables;
type Owned = typeof crons | typeof databases | typeof parsers | typeof webhooks | typeof workflows;

/**
 * A resource of an account.
 * @param options how a refusal names it (`sink.database`); how to lock its row until the commit
 * @throws AppError not_found: absent, deleted, or another account's
 */
export async function readOwn<T extends Owned>(
  db: Executor,
  table: T,
  accountId: string,
  id: string,
  { field, lock }: { field?: string | undefined; lock?: 'update' | 'share' | 'key share' } = {},
): Promise<T['$inferSelect']> {
  const of: Owned = table;
  const alive = 'deletedAt' in of ? isNull(of.deletedAt) : undefined;
  const query = db
    .select()
    .from(of)
    .where(and(eq(of.id, id), eq(of.accountId, accountId), alive));
  const [row]: unknown[] = await (lock === undefined ? query : query.for(lock));
  if (row === undefined) throw new AppError('not_found', { field });
  return row as T['$inferSelect'];
}

/**
 * Keeps the parser, the workflow and the database that a cron or a stage uses from being deleted until the transaction has
 * committed; then the cron or the workflow itself does.
 * @param at where target and sink are in the body, such as `stages[0].`
 * @throws AppError not_found with the exact field
 */
export async function holdUsed(
  tx: Executor,
  accountId: string,
  { target, sink }: { target: CronTarget | undefined; sink?: Sink | null | undefined },
  at = '',
): Promise<void> {
  const hold = (table: Owned, id: string, field: string) =>
    readOwn(tx, table, accountId, id, { field: `${at}${field}`, lock: 'share' });
  if (target?.type === 'parser' && target.parserId !== PAGE_PARSER)
    await hold(parsers, target.parserId, 'target.parserId');
  if (target?.type === 'workflow') await hold(workflows, target.workflowId, 'target.workflowId');
  if (sink?.mode === 'database') await hold(databases, sink.database, 'sink.database');
}

const SHOWN = 5;

/**
 * Checks that no other resource uses a parser, database or workflow. Call it with the lock on that row: code that stores a
 * reference to it takes the same lock.
 * @throws AppError in_use with the users
 */
export async function refuseUsed(
  db: Executor,
  accountId: string,
  kind: 'parser' | 'database' | 'workflow',
  id: string,
): Promise<void> {
  const part = (members: object) => sql`${toStorableJson(members)}::text::jsonb`;
  const use = kind === 'database' ? { sink: { database: id } } : { target: { [`${kind}Id`]: id } };
  const users = await db.execute<{ kind: string; id: string; name: string }>(sql`
    SELECT 'cron' AS kind, c.id, c.name FROM gleaner.crons c
    WHERE c.account_id = ${accountId} AND jsonb_build_object('target', c.target, 'sink', c.sink) @> ${part(use)}
    UNION ALL
    SELECT 'workflow', w.id, w.name FROM gleaner.workflows w
    WHERE w.account_id = ${accountId} AND (w.definition -> 'stages' @> ${part([use])}
      OR w.definition -> 'stages' @> ${part([{ routes: [use] }])})
    UNION ALL
    SELECT 'unfinished workflow run', r.id, coalesce(r.name, '') FROM gleaner.workflow_runs w
    JOIN gleaner.runs r ON r.no = w.no
    WHERE w.account_id = ${accountId} AND w.workflow_id = ${kind === 'workflow' ? id : null} AND r.state IN ('pending', 'running')
    ORDER BY 2 LIMIT ${SHOWN + 1}`);
  if (users.length === 0) return;
  const named = users.slice(0, SHOWN).map((user) => `${user.kind} ${user.id} (${user.name})`);
  throw new AppError('in_use', {
    detail: `used by ${named.join(', ')}${users.length > SHOWN ? ' and others' : ''}`,
    hint: 'Delete or change the resources that use it. Wait for runs to end, or cancel them.',
  });
}
