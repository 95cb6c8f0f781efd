import type { createWorkflowRun as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import type { Context } from '../../platform/context.ts';
import { chooseInputs } from '../../runs/submission/run-inputs.ts';
import { submitServicesOf, type RunServices } from '../../runs/submission/run-services.ts';
import { submitRun } from '../../runs/submission/submit-run.ts';
import { dryRunWorkflow, prepareWorkflowRun, type WorkflowSubmission } from './prepare-workflow-run.ts';
import { readWorkflowRunRecord } from './workflow-run-record.ts';

/** Starts a workflow, or answers what its first stage would do. */
export async function createWorkflowRun(
  ctx: Context<RunServices>,
  { params, body }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const services = submitServicesOf(ctx);
  const submission: WorkflowSubmission = {
    accountId: ctx.accountId,
    workflowId: params.id,
    inputs: (target) => chooseInputs(body, target),
    webhookUrl: body.webhook_url,
    signal: ctx.signal,
  };
  if (body.dry_run) return dryRunWorkflow(services, submission);
  const run = await prepareWorkflowRun(services, submission);
  return submitRun(ctx, run, (tx) => readWorkflowRunRecord(tx, ctx.accountId, run.id));
}
