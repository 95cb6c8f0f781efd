import { AppError, MAX_LIVE_CRAWLS, type WorkflowRunKind, toStorableJson } from '@gleaner/contracts';
import { ENGINE, type Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import { sealConfig } from '../../platform/secrets/sealed-config.ts';
import type { AdmittedRow } from '../../runs/deliveries/admitted.ts';
import type { StageSpec } from '../../runs/stages/stage-spec.ts';
import {
  asBusy,
  DEFAULT_RETRIES,
  nextRunNumber,
  readBudget,
  requireCreated,
  type CreatedRow,
} from '../../runs/submission/create-run.ts';
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
  const { accountId, kind, name, workflow, webhookUrl = null, maxTasks, maxCredits, stages } = plan;
  const root = {
    ...numbered.root,
    kind,
    name,
    webhookUrl,
    workflowId: workflow?.id ?? null,
    version: workflow?.version ?? null,
    maxTasks,
    maxCredits: maxCredits ?? null,
  };
  if (workflow !== null) await holdWorkflow(tx, workflow.id);
  const crawl = crawlRows(stages, numbered.numbers, lines ?? []);
  // A map that follows no links fetches no page, so its start pages are no tasks.
  const most = crawl?.member.pageLimit === 0 ? 0 : inputs;
  const budget = readBudget({ price: stages[0]?.resolved.price ?? 0, maxCredits, total: most });
  // Start pages that the limit on credits does not pay for wait in the frontier.
  const total = crawl === undefined ? most : budget;
  const text = total === 0 ? null : (lines?.slice(0, total).join('\n') ?? null);
  const { secretKey } = services.config;
  const rows = toStorableJson(stages.map((stage) => toStageRow(secretKey, numbered, stage, crawl)));
  const created = requireCreated(
    await tx
      .execute<CreatedRow>(sql`
      SELECT outcome, required, available, unfinished, pending_limit, (delivery).* FROM ${sql.identifier(ENGINE)}.create_workflow_run(
        p_account => ${accountId}, p_root => ${toStorableJson(root)}::jsonb, p_stages => ${rows}::jsonb,
        p_budget => ${budget}, p_total => ${total}, p_inputs => ${text})`)
      .catch((error: unknown) => {
        throw asBusy(error);
      }),
    total,
  );
  if (crawl !== undefined) await requireFewCrawls(tx, accountId);
  return created;
}
