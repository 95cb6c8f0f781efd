import { type CrawlRoute, AppError, type WorkflowDefinition, type WorkflowStage } from '@gleaner/contracts';
import { NEWEST_ADDRESS_RULE } from '@gleaner/contracts/values';
import { checkParserSchema, type ExtractionServices } from '../parsers/check-parser-schema.ts';
import { type Context, write, type Perform } from '../platform/context.ts';
import { fieldOf, inPart, readParts } from './stage-parts.ts';
import { isDeepStrictEqual } from 'node:util';
import { tables, type Transaction } from '@gleaner/db';
import { eq, sql } from 'drizzle-orm';
import { mustStoreInClear } from '../platform/secrets/seal.ts';
import { slugColumn } from '../platform/slugs/slug-column.ts';
import { createId } from '../platform/ids.ts';
import { holdUsed, readOwn, refuseUsed } from '../platform/references/used.ts';
import { submitServicesOf, type RunServices } from '../runs/submission/run-services.ts';
import { planWorkflow, trySinks } from './plan-workflow.ts';
import { readDefinition, sealDefinition, toWorkflowRecord } from './workflow-record.ts';

/**
 * Checks the schemas of routes that are not saved.
 * @param at where the stage is; empty for the body of a call
 * @returns the routes with their schemas as they are stored
 * @throws AppError invalid_request with the exact field
 */
export async function checkRoutes(
  ctx: Context<ExtractionServices>,
  given: readonly CrawlRoute[],
  at: string,
): Promise<CrawlRoute[]> {
  const routes: CrawlRoute[] = [];
  for (const [index, route] of given.entries()) {
    const { schema } = route;
    const checked =
      schema &&
      (await inPart({ at: fieldOf({ at }, `routes[${index}]`) }, () => checkParserSchema(ctx, schema)));
    routes.push(checked === undefined ? route : { ...route, schema: { ...checked } });
  }
  return routes;
}

const { workflows } = tables;

/** @throws AppError not_found with the exact field */
async function holdStages(tx: Transaction, accountId: string, { stages }: WorkflowDefinition): Promise<void> {
  for (const part of readParts(stages)) {
    const target = part.target?.type === 'schema' ? undefined : part.target;
    await holdUsed(tx, accountId, { target, sink: part.sink }, fieldOf(part, ''));
  }
}

/**
 * The stages with the rule by which their crawls write addresses: a crawl that did not change keeps its own, others get
 * the newest.
 */
function withAddressRule(
  given: readonly WorkflowStage[],
  current: readonly WorkflowStage[] = [],
): WorkflowStage[] {
  return given.map((stage) => {
    if (!('crawl' in stage) || stage.crawl.addresses !== undefined) return stage;
    const isKept = current.some(
      (one) => 'crawl' in one && one.name === stage.name && isDeepStrictEqual(one.crawl, stage.crawl),
    );
    return isKept ? stage : { ...stage, crawl: { ...stage.crawl, addresses: NEWEST_ADDRESS_RULE } };
  });
}

type WorkflowServices = RunServices & ExtractionServices;

/** Checks the stages that crawl. @returns the definition as it is stored @throws AppError invalid_request with the exact field */
async function checkStages(
  ctx: Context<WorkflowServices>,
  definition: WorkflowDefinition,
): Promise<WorkflowDefinition> {
  const stages: WorkflowStage[] = [];
  for (const [place, stage] of definition.stages.entries()) {
    stages.push(
      'crawl' in stage
        ? { ...stage, routes: await checkRoutes(ctx, stage.routes, `stages[${place}]`) }
        : stage,
    );
  }
  return { ...definition, stages };
}

/**
 * Resolves the definition, and tries whether the tables that exist can hold its rows.
 * @throws AppError invalid_request, not_found, temporarily_unavailable, with the exact field
 */
async function tryDefinition(ctx: Context<WorkflowServices>, definition: WorkflowDefinition): Promise<void> {
  const { accountId } = ctx;
  const services = submitServicesOf(ctx);
  const stages = await planWorkflow(services, accountId, definition);
  await trySinks(services, { id: createId('workflowRun'), accountId }, stages);
}

/** @throws AppError invalid_request, not_found, temporarily_unavailable: with the exact field */
export const createWorkflow: Perform<'createWorkflow', WorkflowServices> = async (ctx, { body }) => {
  const { accountId } = ctx;
  const stages = withAddressRule(body.stages);
  const definition = await checkStages(ctx, { stages, limits: body.limits ?? {} });
  await tryDefinition(ctx, definition);
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    await holdStages(tx, accountId, definition);
    const id = createId('workflow');
    const [row] = await tx
      .insert(workflows)
      .values({
        id,
        accountId,
        ...slugColumn(body),
        name: body.name,
        description: body.description ?? null,
        version: 1,
        definition: sealDefinition(ctx.services, { id, inClear }, definition),
      })
      .returning();
    if (!row) throw new Error('the new workflow was not returned');
    return toWorkflowRecord(ctx.services, row);
  });
};

/** Runs that have started keep what they started with. @throws AppError invalid_request, not_found */
export const updateWorkflow: Perform<'updateWorkflow', WorkflowServices> = async (ctx, { params, body }) => {
  const { accountId } = ctx;
  const current = readDefinition(
    ctx.services,
    await readOwn(ctx.services.db.orm, workflows, accountId, params.id),
  );
  const isChanged = body.stages !== undefined || body.limits !== undefined;
  const given: WorkflowDefinition = {
    stages: body.stages === undefined ? current.stages : withAddressRule(body.stages, current.stages),
    limits: body.limits ?? current.limits,
  };
  const definition = isChanged ? await checkStages(ctx, given) : given;
  if (isChanged) await tryDefinition(ctx, definition);
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    const locked = await readOwn(tx, workflows, accountId, params.id, { lock: 'update' });
    if (isChanged) await holdStages(tx, accountId, definition);
    const isNew = isChanged && !isDeepStrictEqual(definition, readDefinition(ctx.services, locked));
    const [row] = await tx
      .update(workflows)
      .set({
        updatedAt: sql`now()`,
        ...slugColumn(body),
        name: body.name,
        description: body.description,
        definition: isNew ? sealDefinition(ctx.services, { id: params.id, inClear }, definition) : undefined,
        version: isNew ? locked.version + 1 : undefined,
      })
      .where(eq(workflows.id, params.id))
      .returning();
    if (!row) throw new AppError('not_found');
    return toWorkflowRecord(ctx.services, row);
  });
};

/** @throws AppError not_found, in_use: something uses it, or a run of it has not ended */
export const deleteWorkflow: Perform<'deleteWorkflow'> = (ctx, { params }) => {
  return write(ctx, async (tx) => {
    await readOwn(tx, workflows, ctx.accountId, params.id, { lock: 'update' });
    await refuseUsed(tx, ctx.accountId, 'workflow', params.id);
    await tx.delete(workflows).where(eq(workflows.id, params.id));
  });
};
