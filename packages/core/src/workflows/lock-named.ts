import { AppError, type WorkflowDefinition } from '@gleaner/contracts';
import { tables, type Transaction } from '@gleaner/db';
import { and, eq, isNull } from 'drizzle-orm';

const { databases, parsers } = tables;

/**
 * Holds the parsers and databases that a definition names until the transaction ends, so that none is deleted while a
 * workflow that uses it is stored.
 * @throws AppError not_found with the exact field
 */
export async function lockNamed(
  tx: Transaction,
  accountId: string,
  { stages }: WorkflowDefinition,
): Promise<void> {
  for (const [place, { target, sink }] of stages.entries()) {
    if (target.type === 'parser') {
      const [row] = await tx
        .select({ id: parsers.id })
        .from(parsers)
        .where(
          and(eq(parsers.id, target.parserId), eq(parsers.accountId, accountId), isNull(parsers.deletedAt)),
        )
        .for('share');
      if (!row) throw new AppError('not_found', { field: `stages[${place}].target.parserId` });
    }
    if (sink?.mode === 'database') {
      const [row] = await tx
        .select({ id: databases.id })
        .from(databases)
        .where(and(eq(databases.id, sink.database), eq(databases.accountId, accountId)))
        .for('share');
      if (!row) throw new AppError('not_found', { field: `stages[${place}].sink.database` });
    }
  }
}
