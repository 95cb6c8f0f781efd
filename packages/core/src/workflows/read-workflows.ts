import type {
  getWorkflow as getOperation,
  listWorkflows as listOperation,
  OperationInput,
  OperationOutput,
  WorkflowRecord,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { countFitting } from '../platform/lists/page-bytes.ts';
import { readPage } from '../platform/lists/page.ts';
import { readWorkflow, toWorkflowRecord } from './workflow-record.ts';

const { workflows } = tables;

export async function getWorkflow(
  ctx: Context,
  { params }: OperationInput<typeof getOperation>,
): Promise<WorkflowRecord> {
  return toWorkflowRecord(ctx.services, await readWorkflow(ctx.services.db.orm, ctx.accountId, params.id));
}

export async function listWorkflows(
  ctx: Context,
  { query }: OperationInput<typeof listOperation>,
): Promise<OperationOutput<typeof listOperation>> {
  const { orm } = ctx.services.db;
  const behind = (before: string | undefined) =>
    and(eq(workflows.accountId, ctx.accountId), before === undefined ? undefined : lt(workflows.id, before));
  const { items, pagination } = await readPage(
    query,
    async (before, limit) => {
      const rows = await orm
        .select()
        .from(workflows)
        .where(behind(before))
        .orderBy(desc(workflows.id))
        .limit(limit);
      return rows.map((row) => toWorkflowRecord(ctx.services, row));
    },
    async (before, limit) => {
      const rows = await orm
        .select({ size: sql<number>`octet_length(${workflows.definition}::text)` })
        .from(workflows)
        .where(behind(before))
        .orderBy(desc(workflows.id))
        .limit(limit);
      return countFitting(rows.map(({ size }) => size));
    },
  );
  return { workflows: items, pagination };
}
