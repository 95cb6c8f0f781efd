import { AppError, type WorkflowDefinition, type WorkflowRecord } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq } from 'drizzle-orm';

const { workflows } = tables;

export type WorkflowRow = typeof workflows.$inferSelect;

// Written only after it was checked.
export function readDefinition({ definition }: Pick<WorkflowRow, 'definition'>): WorkflowDefinition {
  return definition as WorkflowDefinition;
}

export function toWorkflowRecord(row: WorkflowRow): WorkflowRecord {
  const { stages, limits } = readDefinition(row);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    version: row.version,
    stages,
    limits,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** @throws AppError not_found: absent, or another account's */
export async function readWorkflow(
  db: Executor,
  accountId: string,
  id: string,
  field?: string,
): Promise<WorkflowRow> {
  const [row] = await db
    .select()
    .from(workflows)
    .where(and(eq(workflows.id, id), eq(workflows.accountId, accountId)));
  if (!row) throw new AppError('not_found', field === undefined ? {} : { field });
  return row;
}

/** Locks the workflow's row, so that changes happen one after the other. @throws AppError not_found */
export async function lockWorkflow(db: Executor, accountId: string, id: string): Promise<WorkflowRow> {
  const [row] = await db
    .select()
    .from(workflows)
    .where(and(eq(workflows.id, id), eq(workflows.accountId, accountId)))
    .for('update');
  if (!row) throw new AppError('not_found');
  return row;
}
