import { AppError } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import type { Context, InputOf, Perform } from '../../platform/context.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { deliverAdmitted, type AdmittedRow } from '../../runs/deliveries/admitted.ts';
import { readWorkflowRunRecord } from './workflow-run-record.ts';
import { toCause } from '../../runs/batches/batch-failures.ts';
import { retryLimit } from '../../runs/batches/change-batch.ts';
import { cancelRun } from '../../runs/submission/cancel-run.ts';
import type { Limits } from '../../runs/submission/create-run.ts';
import { openInputs } from '../../runs/batches/read-batch-request.ts';
import { namesOfInputs } from '../../runs/submission/carry-inputs.ts';
import { readRunSource } from '../../runs/submission/run-source.ts';
import { submitServicesOf, type RunServices } from '../../runs/submission/run-services.ts';
import { submitRun } from '../../runs/submission/prepare-run.ts';
import { dryRunWorkflow, prepareWorkflowRun, type WorkflowSubmission } from './prepare-workflow-run.ts';

/** Starts a workflow, or answers what its first stage would do. */
export const createWorkflowRun: Perform<'createWorkflowRun', RunServices> = async (ctx, { params, body }) => {
  const services = submitServicesOf(ctx);
  const { urls, inputs } = body;
  const source = readRunSource(body.source, body.since);
  const submission: WorkflowSubmission = {
    accountId: ctx.accountId,
    by: { keyId: ctx.keyId },
    workflowId: params.id,
    inputs: (target) => openInputs({ urls, inputs, source }, target),
    carry: body.carry === true ? namesOfInputs(inputs ?? []) : body.carry,
    source,
    webhookUrl: body.webhook_url,
    signal: ctx.signal,
  };
  if (body.dry_run) return dryRunWorkflow(services, submission);
  const run = await prepareWorkflowRun(services, submission);
  return submitRun(ctx, run, (tx) => readWorkflowRunRecord(tx, ctx.accountId, run.id));
};

/** @throws AppError not_found, already_finished */
export const cancelWorkflowRun: Perform<'cancelWorkflowRun'> = async (ctx, { params }) => {
  await cancelRun(ctx, 'workflow', params.id);
  return readWorkflowRunRecord(ctx.services.db.orm, ctx.accountId, params.id);
};

type RetriedRow = AdmittedRow & Limits & { outcome: string };

const NO_CREDITS = new AppError('already_finished', {
  detail: 'limits.credits of the workflow pays for no further task of this run',
  hint: 'Start a run with the failed inputs.',
});

/** The errors of refused retries, by their outcome. */
const REFUSALS: Readonly<Record<string, AppError>> = {
  absent: new AppError('not_found'),
  expired: new AppError('not_found', {
    detail: 'what failed was deleted, or removed 24 hours after the run was created',
  }),
  cancelled: new AppError('already_finished', { detail: 'the workflow run was cancelled' }),
  limit: NO_CREDITS,
  spent: NO_CREDITS,
  held: new AppError('in_use', {
    detail: 'tasks that have not ended may use up limits.credits',
    hint: 'Try again when the run has ended.',
  }),
};

/** Stages that sent headers or cookies can't run again after their end, when these were removed. */
async function refuseForgotten({ services, accountId }: Context, id: string): Promise<void> {
  const [row] = await services.db.sql<{ name: string }[]>`
    SELECT s.name FROM gleaner.workflow_runs w JOIN gleaner.stages s ON s.root_no = w.no
    JOIN gleaner.runs r ON r.no = s.run_no
    WHERE w.id = ${id} AND w.account_id = ${accountId} AND r.config -> 'sealed' = 'null' ORDER BY s.stage LIMIT 1`;
  if (!row) return;
  throw new AppError('already_finished', {
    detail: `the headers and cookies of the stage ${row.name} were removed when it ended`,
    hint: 'Start a run with the failed inputs.',
  });
}

/**
 * Refuses what names nothing that can run again.
 * @throws AppError invalid_request (stage), already_finished (cause)
 */
async function refuseNothing(
  ctx: Context,
  id: string,
  { cause, stage }: InputOf<'retryWorkflowRun'>['body'],
): Promise<void> {
  if (stage !== undefined && !(await hasStage(ctx, id, stage))) {
    const { stages } = await readWorkflowRunRecord(ctx.services.db.orm, ctx.accountId, id);
    const names = stages.map(({ name }) => name).join(', ');
    throw invalid('stage', `the run has no stage of this name; its stages are ${names}`);
  }
  if (cause === undefined) return;
  const of = stage === undefined ? '' : ` of the stage ${stage}`;
  throw new AppError('already_finished', {
    field: 'cause',
    detail: `no input${of} that has ended failed by this cause`,
    hint: 'GET /v1/workflow-runs/{id}/failures lists the causes.',
  });
}

/** Also a source or a route, which the record shows as parts of their stage. */
async function hasStage({ services, accountId }: Context, id: string, stage: string): Promise<boolean> {
  const rows = await services.db.sql`
    SELECT FROM gleaner.workflow_runs w JOIN gleaner.stages s ON s.root_no = w.no
    WHERE w.id = ${id} AND w.account_id = ${accountId} AND s.name = ${stage} LIMIT 1`;
  return rows.length > 0;
}

/**
 * Runs the failed inputs of all stages again.
 * @throws AppError not_found, insufficient_credits, pending_limit, already_finished, in_use, invalid_request (stage)
 */
export const retryWorkflowRun: Perform<'retryWorkflowRun'> = async (ctx, { params, body }) => {
  const { db, queue } = ctx.services;
  await refuseForgotten(ctx, params.id);
  const rows = await db.inTurn(ctx.accountId, () =>
    db.transact(async (tx) => {
      const found = await tx.execute<RetriedRow>(sql`
        SELECT outcome, required, available, unfinished, pending_limit, (delivery).*
        FROM ${sql.identifier(ENGINE)}.retry_workflow_run(${ctx.accountId}, ${params.id}, ${toCause(body.cause)}, ${body.stage ?? null})`);
      // A stage may refuse after others were retried: then everything is rolled back.
      const refusal = found
        .map((row) => REFUSALS[row.outcome] ?? retryLimit(row))
        .find((error) => error !== undefined);
      if (refusal) throw refusal;
      return found;
    }),
  );
  if (rows.every(({ outcome }) => outcome === 'nothing')) await refuseNothing(ctx, params.id, body);
  await deliverAdmitted(queue, ctx.log, rows);
  return readWorkflowRunRecord(db.orm, ctx.accountId, params.id);
};
