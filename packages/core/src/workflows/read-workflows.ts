import { tables } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { listPage } from '../platform/lists/page.ts';
import { matchesSearch } from '../platform/lists/search.ts';
import { readWorkflow, toWorkflowRecord } from './workflow-record.ts';
import type { Perform } from '../platform/context.ts';

const { workflows } = tables;

export const getWorkflow: Perform<'getWorkflow'> = async (ctx, { params }) => {
  return toWorkflowRecord(ctx.services, await readWorkflow(ctx.services.db.orm, ctx.accountId, params.id));
};

export const listWorkflows: Perform<'listWorkflows'> = async (ctx, { query }) => {
  const { orm } = ctx.services.db;
  const size = sql<number>`octet_length(${workflows.definition}::text)`;
  const { items, pagination } = await listPage(
    query,
    workflows.id,
    [eq(workflows.accountId, ctx.accountId), matchesSearch(query.search, workflows)],
    ({ where, order, limit }) => orm.select().from(workflows).where(where).orderBy(order).limit(limit),
    ({ where, order, limit }) =>
      orm.select({ size }).from(workflows).where(where).orderBy(order).limit(limit),
  );
  return { workflows: items.map((row) => toWorkflowRecord(ctx.services, row)), pagination };
};
