import { MAX_WORKFLOW_TASKS, type Carry, type WorkflowDefinition } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { createId } from '../../platform/ids.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { readOwn } from '../../platform/references/used.ts';
import { toCarriedNames } from '../../runs/stages/input-values.ts';
import { NO_VALUES } from '../../runs/submission/carry-plan.ts';
import { dryRunPlan, type DryRun } from '../../runs/submission/dry-run.ts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import { refuseDryRun } from '../../runs/submission/run-source.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { planWorkflow, trySinks } from '../plan-workflow.ts';
import { finalStages, readGraph } from '../stage-graph.ts';
import { readParts } from '../stage-parts.ts';
import { readDefinition } from '../workflow-record.ts';
import { checkRoot, planInputs, prepareRoot, type RootPlan } from './create-stages.ts';

/** Everything that a producer of workflow runs decides. */
export interface WorkflowSubmission extends Pick<
  RootPlan,
  'accountId' | 'by' | 'inputs' | 'source' | 'signal'
> {
  workflowId: string;
  /** Values of the inputs that all stages keep, by name or by column. */
  carry?: Exclude<Carry, true> | undefined;
  /** How the refusal of an unknown workflow names it: `target.workflowId`. */
  workflowField?: string | undefined;
  /** Refuses a workflow with a final stage that writes to no database. */
  needsFinalSinks?: boolean | undefined;
  /** Most credits that the run may ever charge, beside `limits.credits` of the workflow. */
  maxCredits?: number | undefined;
  /** Receives the event of the run's end, beside the account's webhooks. */
  webhookUrl?: string | undefined;
}

/** @throws AppError invalid_request: a stage without successors, or a route of a crawl, has no sink of mode database */
function requireFinalSinks({ stages }: WorkflowDefinition, field: string): void {
  for (const { name, at, sink, part } of finalStages(readGraph(stages, readParts(stages)))) {
    if (sink?.mode === 'database') continue;
    const what = part === undefined ? 'final stage' : 'route';
    throw invalid(
      field,
      `its ${what} ${name} (${at}) has no sink of mode database`,
      `Give that ${part === undefined ? 'stage' : 'route'} of the workflow a sink.`,
    );
  }
}

/**
 * The current version of the workflow, resolved.
 * @throws AppError not_found, invalid_request: also when a parser no longer gives what a path names
 */
async function planRoot(services: SubmitServices, submission: WorkflowSubmission): Promise<RootPlan> {
  const { workflowId, workflowField, needsFinalSinks, maxCredits, webhookUrl, carry, ...given } = submission;
  const { accountId } = given;
  const workflow = await readOwn(services.db.orm, tables.workflows, accountId, workflowId, {
    field: workflowField,
  });
  const definition = readDefinition(services, workflow);
  if (needsFinalSinks) requireFinalSinks(definition, workflowField ?? 'workflow');
  const names = carry && toCarriedNames(carry);
  if (names !== undefined && given.source !== undefined) throw invalid('carry', NO_VALUES);
  const stages = await planWorkflow(services, accountId, definition, names);
  const limits = [definition.limits.credits, maxCredits].filter((limit) => limit !== undefined);
  return {
    ...given,
    carry: names,
    kind: 'workflow',
    name: workflow.name,
    workflow,
    webhookUrl,
    maxTasks: definition.limits.tasks ?? MAX_WORKFLOW_TASKS,
    maxCredits: limits.length > 0 ? Math.min(...limits) : undefined,
    stages,
  };
}

/** A dry run of the first stage. Stores nothing. @throws AppError as `dryRun` does */
export async function dryRunWorkflow(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<DryRun> {
  refuseDryRun(submission.source);
  const plan = await planRoot(services, submission);
  const id = createId('workflowRun');
  await trySinks(services, { id, accountId: plan.accountId }, plan.stages);
  return dryRunPlan(services, await planInputs(services, id, plan));
}

/** Checks everything about a workflow run as `prepareWorkflowRun` does, and stores nothing. */
export async function checkWorkflowRun(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<void> {
  await checkRoot(services, await planRoot(services, submission));
}

/**
 * Does the slow parts of a workflow run and those that need other systems: resolves the stages, tries their sinks,
 * reads the inputs. It opens its own connections, so call it before you open a transaction.
 * @throws AppError not_found, invalid_request, temporarily_unavailable
 */
export async function prepareWorkflowRun(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<PreparedRun> {
  return prepareRoot(services, await planRoot(services, submission));
}
