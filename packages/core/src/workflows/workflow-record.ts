import { readOwn } from '../platform/references/used.ts';
import type { WorkflowDefinition, WorkflowRecord, WorkflowStage } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import type { WithSecretKey } from '../parsers/read-parsers.ts';
import { openConfig, sealConfig, type StoredConfig } from '../platform/secrets/sealed-config.ts';
import { listPage, matchesSearch } from '../platform/lists/page.ts';
import type { Perform } from '../platform/context.ts';

const { workflows } = tables;

export type WorkflowRow = typeof workflows.$inferSelect;

type WithStoredConfig<T> = T extends unknown
  ? Omit<T, 'scrape_config'> & { scrape_config?: StoredConfig | undefined }
  : never;

/** A definition as it is stored, with the scrape_config of each stage sealed. */
type StoredDefinition = Omit<WorkflowDefinition, 'stages'> & { stages: WithStoredConfig<WorkflowStage>[] };

/** @throws AppError as `sealConfig` does */
export function sealDefinition(
  { config: { secretKey } }: WithSecretKey,
  { id, inClear = false }: { id: string; inClear?: boolean },
  definition: WorkflowDefinition,
): StoredDefinition {
  const stages = definition.stages.map(({ scrape_config: config, ...stage }) => ({
    ...stage,
    ...(config && { scrape_config: sealConfig(config, { secretKey, id: `${id}/${stage.name}`, inClear }) }),
  }));
  return { ...definition, stages };
}

/** @throws AppError as `openConfig` does */
export function readDefinition(
  { config: { secretKey } }: WithSecretKey,
  { id, definition }: Pick<WorkflowRow, 'id' | 'definition'>,
): WorkflowDefinition {
  const stored = definition as StoredDefinition;
  const stages = stored.stages.map(({ scrape_config: config, ...stage }) => ({
    ...stage,
    ...(config && { scrape_config: openConfig(config, { secretKey, id: `${id}/${stage.name}` }) }),
  }));
  return { ...stored, stages };
}

export function toWorkflowRecord(services: WithSecretKey, row: WorkflowRow): WorkflowRecord {
  const { stages, limits } = readDefinition(services, row);
  const { id, slug, name, description, version, createdAt, updatedAt } = row;
  const head = { id, slug, name, description, version };
  return { ...head, stages, limits, created_at: createdAt, updated_at: updatedAt };
}

export const getWorkflow: Perform<'getWorkflow'> = async (ctx, { params }) => {
  return toWorkflowRecord(
    ctx.services,
    await readOwn(ctx.services.db.orm, workflows, ctx.accountId, params.id),
  );
};

export const listWorkflows: Perform<'listWorkflows'> = async (ctx, { query }) => {
  const { orm } = ctx.services.db;
  const size = sql<number>`octet_length(${workflows.definition}::text)`;
  const { items, pagination } = await listPage(
    query,
    workflows.id,
    [eq(workflows.accountId, ctx.accountId), matchesSearch(query.search, workflows)],
    orm.select().from(workflows),
    orm.select({ size }).from(workflows),
  );
  return { workflows: items.map((row) => toWorkflowRecord(ctx.services, row)), pagination };
};
