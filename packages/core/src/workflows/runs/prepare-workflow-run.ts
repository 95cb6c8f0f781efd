import { invalid } from '../../platform/invalid-request.ts';
import { MAX_START_URLS, MAX_WORKFLOW_TASKS, type WorkflowDefinition } from '@gleaner/contracts';
import { createId } from '../../platform/ids.ts';
import { readBudget } from '../../runs/submission/create-run.ts';
import { dryRunPlan, type DryRun } from '../../runs/submission/dry-run.ts';
import type { RunPlan } from '../../runs/submission/plan-run.ts';
import { checkInputs, storeInputs, type StoredInputs } from '../../runs/submission/prepare-run.ts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import { refuseDryRun, type RunSource } from '../../runs/submission/run-source.ts';
import type { RunInputs } from '../../runs/submission/run-inputs.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { planWorkflow, trySinks, type PlannedStage } from '../plan-workflow.ts';
import { finalStages, readGraph } from '../stage-graph.ts';
import { readParts } from '../stage-parts.ts';
import { readDefinition, readWorkflow, type WorkflowRow } from '../workflow-record.ts';
import { createStages, takeNumbers, type RootPlan } from './create-stages.ts';

/** Everything that a producer of workflow runs decides. */
export interface WorkflowSubmission {
  accountId: string;
  workflowId: string;
  /** How the refusal of an unknown workflow names it: `target.workflowId`. */
  workflowField?: string | undefined;
  /** Refuses a workflow with a final stage that writes to no database. */
  needsFinalSinks?: boolean | undefined;
  /** Most credits that the run may ever charge, beside `limits.credits` of the workflow. */
  maxCredits?: number | undefined;
  /** The inputs of the first stage. Called once, when its target is known. */
  inputs: (target: ResolvedTarget) => RunInputs;
  /** What gives them when the run has been created; `inputs` then has none (`sourcedInputs`). */
  source?: RunSource | undefined;
  /** Receives the event of the run's end, beside the account's webhooks. */
  webhookUrl?: string | undefined;
  /** Ends the reading of inputs early. */
  signal?: AbortSignal | undefined;
}

/** The current version of the workflow, resolved. */
export interface WorkflowPlan {
  workflow: WorkflowRow;
  definition: WorkflowDefinition;
  stages: PlannedStage[];
  first: PlannedStage;
  maxCredits: number | undefined;
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

/** @throws AppError not_found, invalid_request: also when a parser no longer gives what a path names */
export async function planRunOf(
  services: SubmitServices,
  { accountId, workflowId, workflowField, needsFinalSinks, maxCredits }: Omit<WorkflowSubmission, 'inputs'>,
): Promise<WorkflowPlan> {
  const workflow = await readWorkflow(services.db.orm, accountId, workflowId, workflowField);
  const definition = readDefinition(services, workflow);
  if (needsFinalSinks) requireFinalSinks(definition, workflowField ?? 'workflow');
  const stages = await planWorkflow(services, accountId, definition);
  const [first] = stages;
  if (!first) throw new Error('a workflow has a stage');
  const limits = [definition.limits.credits, maxCredits].filter((limit) => limit !== undefined);
  return {
    workflow,
    definition,
    stages,
    first,
    maxCredits: limits.length > 0 ? Math.min(...limits) : undefined,
  };
}

/** The most inputs that a run can be given. */
export function mostInputs({ limit, part }: PlannedStage): number {
  return part === undefined
    ? (limit ?? MAX_WORKFLOW_TASKS)
    : Math.min(limit ?? MAX_START_URLS, MAX_START_URLS);
}

/** The inputs of the first stage, for the functions that read them. */
function planInputs(
  id: string,
  { accountId, inputs, signal }: WorkflowSubmission,
  { workflow, definition, first, maxCredits }: WorkflowPlan,
): RunPlan {
  const { resolved, sink } = first;
  const maxTasks = definition.limits.tasks ?? MAX_WORKFLOW_TASKS;
  return {
    id,
    submission: {
      accountId,
      origin: { type: 'workflow', name: workflow.name },
      bounds: { dedupe: true, maxInputs: Math.min(mostInputs(first), maxTasks), maxCredits },
      signal,
    },
    target: resolved,
    inputs: inputs(resolved),
    sink,
  };
}

function toRootPlan(
  submission: WorkflowSubmission,
  { workflow, definition, stages, maxCredits }: WorkflowPlan,
): RootPlan {
  const { source } = submission;
  return {
    accountId: submission.accountId,
    kind: 'workflow',
    name: workflow.name,
    workflow,
    webhookUrl: submission.webhookUrl,
    maxTasks: definition.limits.tasks ?? MAX_WORKFLOW_TASKS,
    maxCredits,
    stages,
    source,
  };
}

/** A dry run of the first stage. Stores nothing. @throws AppError as `dryRun` does */
export async function dryRunWorkflow(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<DryRun> {
  refuseDryRun(submission.source);
  const plan = await planRunOf(services, submission);
  return dryRunPlan(services, planInputs(createId('workflowRun'), submission, plan));
}

/** Checks everything about a workflow run as `prepareWorkflowRun` does, and stores nothing. */
export async function checkWorkflowRun(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<void> {
  const plan = await planRunOf(services, submission);
  const id = createId('workflowRun');
  await trySinks(services, { id, accountId: submission.accountId }, plan.stages);
  const inputs = planInputs(id, submission, plan);
  if (submission.source === undefined) await checkInputs(inputs);
  else noInputsYet(plan);
}

/** The inputs of a run that waits for its source. @throws AppError invalid_request (source, max_credits) */
function noInputsYet({ first, maxCredits }: WorkflowPlan): StoredInputs {
  if (first.part !== undefined) {
    throw invalid(
      'source',
      'the workflow begins with a crawl, which takes start addresses',
      'Name sitemaps and feeds in `sources` of its crawl.',
    );
  }
  readBudget({ price: first.resolved.price, maxCredits, total: 1 });
  return { read: { total: 0, lines: [], no: undefined }, discard: () => undefined };
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
  const plan = await planRunOf(services, submission);
  const numbered = await takeNumbers(services, plan.stages);
  await trySinks(services, { id: numbered.root.id, accountId: submission.accountId }, plan.stages);
  const inputs = planInputs(numbered.root.id, submission, plan);
  const { read, discard } =
    submission.source === undefined
      ? await storeInputs(services, inputs, numbered.numbers[0])
      : noInputsYet(plan);
  // In a statement of its own, because there may be a million: the transaction that creates the run must be short.
  if (read.lines === undefined && plan.first.own.length > 0)
    await services.db
      .sql`UPDATE gleaner.tasks t SET key = md5(t.input)::uuid WHERE t.run_no = ${numbered.numbers[0] ?? ''}`;
  return {
    id: numbered.root.id,
    create: (tx) => createStages(services, tx, toRootPlan(submission, plan), { ...numbered, ...read }),
    discard,
  };
}
