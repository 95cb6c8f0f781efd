import { AppError, MAX_LIVE_CRAWLS, MAX_WORKFLOW_TASKS, type WorkflowRunKind } from '@gleaner/contracts';
import type { Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import { sealConfig } from '../../platform/secrets/sealed-config.ts';
import type { AdmittedRow } from '../../runs/deliveries/admitted.ts';
import type { StageSpec } from '../../runs/stages/stage-spec.ts';
import { createRoot } from '../../runs/submission/create-root.ts';
import type { RunSource } from '../../runs/submission/run-source.ts';
import { sourceInput, sourceStageRow } from '../../runs/submission/source-stage.ts';
import { DEFAULT_RETRIES, nextRunNumber, readBudget } from '../../runs/submission/create-run.ts';
import type { ReadInputs } from '../../runs/submission/prepare-run.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import type { PlannedStage } from '../plan-workflow.ts';
import { crawlRows, type CrawlRows } from './crawl-rows.ts';

export interface Numbered {
  root: { id: string; no: string };
  /** `runs.no` by index of the part. */
  numbers: string[];
}

/** Numbers beside each other: their partition is that of the first. */
export async function takeNumbers(
  services: SubmitServices,
  stages: readonly PlannedStage[],
): Promise<Numbered> {
  const no = await nextRunNumber(services.db);
  return {
    root: { id: createId('workflowRun'), no },
    numbers: stages.map((_, place) => String(BigInt(no) + BigInt(place + 1))),
  };
}

/** What a workflow run is beside its stages. */
export interface RootPlan {
  accountId: string;
  kind: WorkflowRunKind;
  name: string | null;
  /** Null for a crawl that is not saved. */
  workflow: { id: string; version: number } | null;
  webhookUrl: string | undefined;
  /** Most tasks of all stages. */
  maxTasks: number;
  maxCredits: number | undefined;
  stages: readonly PlannedStage[];
  /** What gives the inputs of the first stage. */
  source?: RunSource | undefined;
}

function toStageRow(
  secretKey: string | undefined,
  { root, numbers }: Numbered,
  stage: PlannedStage,
  crawl: CrawlRows | undefined,
) {
  const { resolved, sink, sources, own, limit, place, part } = stage;
  const plan: StageSpec = {
    rootId: root.id,
    rootNo: root.no,
    name: stage.name,
    outputs: stage.outputs.map(({ to, ...output }) => ({ run: numbers[to] ?? '', ...output })),
    columns: stage.columns,
    ...(part === undefined || crawl === undefined ? {} : { crawl: crawl.specOf(part) }),
  };
  return {
    no: numbers[place],
    name: stage.name,
    role: part?.role ?? null,
    mode: sink?.mode ?? 'return',
    queue: resolved.queue,
    target: resolved.target,
    config: sealConfig(resolved.config, { secretKey, id: `${root.id}/${stage.name}` }),
    sink: sink ?? null,
    retries: resolved.config.retries ?? DEFAULT_RETRIES,
    price: resolved.price,
    // The pages of a route are those of the crawl's first part.
    sources: part?.role === 'route' ? [0] : [...new Set(sources.map((source) => source.stage))],
    plan,
    maxTasks: part === undefined ? limit : null,
    takesOwn: own.length > 0,
    ...(part?.role === 'pages' && crawl !== undefined ? { crawl: crawl.member } : {}),
  };
}

/** Locks a workflow until the commit, so that it is not deleted meanwhile. @throws AppError not_found */
async function holdWorkflow(tx: Transaction, id: string): Promise<void> {
  const [locked] = await tx.execute(sql`SELECT id FROM gleaner.workflows WHERE id = ${id} FOR KEY SHARE`);
  if (!locked) throw new AppError('not_found');
}

/** Call it under the account's lock, which the creation of a run takes. @throws AppError plan_limit_exceeded */
async function requireFewCrawls(tx: Transaction, accountId: string): Promise<void> {
  const [row] = await tx.execute<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM gleaner.runs r JOIN gleaner.crawls c ON c.root_no = r.no
    WHERE r.account_id = ${accountId} AND r.state IN ('pending', 'running')`);
  if ((row?.count ?? 0) <= MAX_LIVE_CRAWLS) return;
  throw new AppError('plan_limit_exceeded', {
    detail: `${MAX_LIVE_CRAWLS} crawls and maps of the account are running`,
    hint: 'Wait until one has ended, or cancel one.',
    retryAfterSeconds: 60,
  });
}

type StageRow = ReturnType<typeof toStageRow>;

/** The stages behind one that reads the source of the first of them. */
function behindSource(
  { maxTasks, maxCredits, stages }: RootPlan,
  { root, numbers }: Numbered,
  source: RunSource,
  rows: readonly StageRow[],
) {
  const [first, firstNo] = [stages[0], numbers[0]];
  if (!first || firstNo === undefined) throw new Error('a workflow has a stage');
  const no = String(BigInt(root.no) + BigInt(stages.length + 1));
  const { config } = first.resolved;
  const most = Math.min(first.limit ?? MAX_WORKFLOW_TASKS, maxTasks);
  return [
    sourceStageRow({ root, no, to: firstNo, source, config, maxCredits }),
    ...rows.map((row, place) => ({
      ...row,
      sources: place === 0 ? [0] : row.sources.map((stage) => stage + 1),
      ...(place === 0 ? { maxTasks: most } : {}),
    })),
  ];
}

/** What the engine calls the root. */
function toRootRow({ kind, name, workflow, webhookUrl, maxTasks, maxCredits }: RootPlan, { root }: Numbered) {
  return {
    ...root,
    kind,
    name,
    webhookUrl: webhookUrl ?? null,
    workflowId: workflow?.id ?? null,
    version: workflow?.version ?? null,
    maxTasks,
    maxCredits: maxCredits ?? null,
  };
}

/**
 * Creates a workflow run with its stages in the caller's transaction.
 * @returns what to deliver after the commit
 * @throws AppError not_found, insufficient_credits, pending_limit, plan_limit_exceeded, temporarily_unavailable
 */
export async function createStages(
  services: SubmitServices,
  tx: Transaction,
  plan: RootPlan,
  { total: inputs, lines, ...numbered }: Numbered & ReadInputs,
): Promise<readonly AdmittedRow[]> {
  const { accountId, workflow, maxCredits, stages, source } = plan;
  if (workflow !== null) await holdWorkflow(tx, workflow.id);
  const crawl = crawlRows(stages, numbered.numbers, lines ?? []);
  const { secretKey } = services.config;
  const rows = stages.map((stage) => toStageRow(secretKey, numbered, stage, crawl));
  const root = toRootRow(plan, numbered);
  if (source !== undefined)
    return createRoot(tx, {
      accountId,
      root,
      stages: behindSource(plan, numbered, source, rows),
      budget: 1,
      total: 1,
      inputs: sourceInput(source),
    });
  // A map that follows no links fetches no page, so its start pages are no tasks.
  const most = crawl?.member.pageLimit === 0 ? 0 : inputs;
  const budget = readBudget({ price: stages[0]?.resolved.price ?? 0, maxCredits, total: most });
  // Start pages that the limit on credits does not pay for wait in the frontier.
  const total = crawl === undefined ? most : budget;
  const text = total === 0 ? null : (lines?.slice(0, total).join('\n') ?? null);
  const created = await createRoot(tx, { accountId, root, stages: rows, budget, total, inputs: text });
  if (crawl !== undefined) await requireFewCrawls(tx, accountId);
  return created;
}
