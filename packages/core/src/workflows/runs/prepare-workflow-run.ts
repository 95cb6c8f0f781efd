import { AppError, MAX_WORKFLOW_TASKS, type WorkflowDefinition, toStorableJson } from '@gleaner/contracts';
import { ENGINE, type Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import type { AdmittedRow } from '../../runs/deliveries/admitted.ts';
import {
  asBusy,
  DEFAULT_RETRIES,
  nextRunNumber,
  readBudget,
  requireCreated,
  type CreatedRow,
} from '../../runs/submission/create-run.ts';
import { dryRun, type DryRun } from '../../runs/submission/dry-run.ts';
import type { RunPlan } from '../../runs/submission/plan-run.ts';
import {
  checkRun,
  discardInputs,
  readInputs,
  type PreparedRun,
  type ReadInputs,
} from '../../runs/submission/prepare-run.ts';
import type { RunInputs } from '../../runs/submission/run-inputs.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import type { RunSubmission } from '../../runs/submission/run-submission.ts';
import { stageInputs } from '../../runs/submission/stage-inputs.ts';
import type { StageSpec } from '../../runs/stages/stage-spec.ts';
import { sealConfig } from '../../platform/secrets/sealed-config.ts';
import { planWorkflow, trySinks, type PlannedStage } from '../plan-workflow.ts';
import { finalStages, readGraph } from '../stage-graph.ts';
import { readDefinition, readWorkflow, type WorkflowRow } from '../workflow-record.ts';

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

/** @throws AppError invalid_request: a stage without successors has no sink of mode database */
function requireFinalSinks({ stages }: WorkflowDefinition, field: string): void {
  for (const place of finalStages(readGraph(stages))) {
    const stage = stages[place];
    if (stage?.sink?.mode === 'database') continue;
    throw new AppError('invalid_request', {
      field,
      detail: `its final stage ${stage?.name ?? ''} (stages[${place}]) has no sink of mode database`,
      hint: 'Give that stage of the workflow a sink.',
    });
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

/** The first stage as a submission, for the functions that read its inputs. */
export function toFirstSubmission(
  submission: WorkflowSubmission,
  { workflow, definition, first, maxCredits }: WorkflowPlan,
): RunSubmission {
  const { target } = first.resolved;
  if (target.type === 'schema') throw new Error('a stage has a saved parser');
  return {
    accountId: submission.accountId,
    origin: { type: 'workflow', name: workflow.name },
    target,
    config: first.resolved.config,
    sink: first.sink,
    inputs: submission.inputs,
    bounds: {
      dedupe: true,
      maxInputs: Math.min(first.limit ?? MAX_WORKFLOW_TASKS, definition.limits.tasks ?? MAX_WORKFLOW_TASKS),
      maxCredits,
    },
    signal: submission.signal,
  };
}

interface Numbered {
  root: { id: string; no: string };
  /** `runs.no` by index of the stage. */
  numbers: string[];
}

/** Numbers beside each other: their partition is that of the first. */
async function takeNumbers(services: SubmitServices, stages: readonly PlannedStage[]): Promise<Numbered> {
  const no = await nextRunNumber(services.db);
  return {
    root: { id: createId('workflowRun'), no },
    numbers: stages.map((_, place) => String(BigInt(no) + BigInt(place + 1))),
  };
}

function toStageRow(secretKey: string | undefined, { root, numbers }: Numbered, stage: PlannedStage) {
  const { resolved, sink, sources, own, limit, place } = stage;
  const plan: StageSpec = {
    rootId: root.id,
    rootNo: root.no,
    name: stage.name,
    outputs: stage.outputs.map(({ to, ...output }) => ({ run: numbers[to] ?? '', ...output })),
    columns: stage.columns,
  };
  return {
    no: numbers[place],
    name: stage.name,
    mode: sink?.mode ?? 'return',
    queue: resolved.queue,
    target: resolved.target,
    config: sealConfig(resolved.config, { secretKey, id: `${root.id}/${stage.name}` }),
    sink: sink ?? null,
    retries: resolved.config.retries ?? DEFAULT_RETRIES,
    price: resolved.price,
    sources: [...new Set(sources.map((source) => source.stage))],
    plan,
    maxTasks: limit,
    takesOwn: own.length > 0,
  };
}

async function createIn(
  services: SubmitServices,
  tx: Transaction,
  submission: WorkflowSubmission,
  { workflow, definition, stages, first, maxCredits }: WorkflowPlan,
  { total, lines, ...numbered }: Numbered & ReadInputs,
): Promise<readonly AdmittedRow[]> {
  const root = {
    ...numbered.root,
    name: workflow.name,
    webhookUrl: submission.webhookUrl ?? null,
    workflowId: workflow.id,
    version: workflow.version,
    maxTasks: definition.limits.tasks ?? MAX_WORKFLOW_TASKS,
    maxCredits: maxCredits ?? null,
  };
  // Locked until the commit: the workflow is not deleted meanwhile.
  const [locked] = await tx.execute(
    sql`SELECT id FROM gleaner.workflows WHERE id = ${workflow.id} FOR KEY SHARE`,
  );
  if (!locked) throw new AppError('not_found');
  const budget = readBudget({ price: first.resolved.price, maxCredits, total });
  const rows = toStorableJson(stages.map((stage) => toStageRow(services.config.secretKey, numbered, stage)));
  return requireCreated(
    await tx
      .execute<CreatedRow>(sql`
      SELECT outcome, required, available, unfinished, pending_limit, (delivery).* FROM ${sql.identifier(ENGINE)}.create_workflow_run(
        p_account => ${submission.accountId}, p_root => ${toStorableJson(root)}::jsonb, p_stages => ${rows}::jsonb,
        p_budget => ${budget}, p_total => ${total}, p_inputs => ${lines?.join('\n') ?? null})`)
      .catch((error: unknown) => {
        throw asBusy(error);
      }),
    total,
  );
}

/** A dry run of the first stage. Stores nothing. @throws AppError as `dryRun` does */
export async function dryRunWorkflow(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<DryRun> {
  return dryRun(services, toFirstSubmission(submission, await planRunOf(services, submission)));
}

/** Checks everything about a workflow run as `prepareWorkflowRun` does, and stores nothing. */
export async function checkWorkflowRun(
  services: SubmitServices,
  submission: WorkflowSubmission,
): Promise<void> {
  const plan = await planRunOf(services, submission);
  await trySinks(services, { id: createId('workflowRun'), accountId: submission.accountId }, plan.stages);
  await checkRun(services, toFirstSubmission(submission, plan));
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
  const firstPlan: RunPlan = {
    id: numbered.root.id,
    submission: toFirstSubmission(submission, plan),
    target: plan.first.resolved,
    inputs: submission.inputs(plan.first.resolved),
    sink: plan.first.sink,
  };
  const staged = stageInputs(services.db, numbered.numbers[0] ?? '');
  const read = await readInputs(firstPlan, staged).catch((error: unknown) => {
    discardInputs(services, staged);
    throw error;
  });
  // In a statement of its own, because there may be a million: the transaction that creates the run must be short.
  if (read.lines === undefined && plan.first.own.length > 0)
    await services.db
      .sql`UPDATE gleaner.tasks t SET key = md5(t.input)::uuid WHERE t.run_no = ${numbered.numbers[0] ?? ''}`;
  return {
    id: numbered.root.id,
    create: (tx) => createIn(services, tx, submission, plan, { ...numbered, ...read }),
    discard: () => discardInputs(services, staged),
  };
}
