import { readOwn } from '../../platform/references/used.ts';
import { invalid } from '../../platform/invalid-request.ts';
import {
  AppError,
  MAX_LIVE_CRAWLS,
  MAX_START_URLS,
  MAX_WORKFLOW_TASKS,
  type WorkflowRunKind,
} from '@gleaner/contracts';
import { tables, type Transaction } from '@gleaner/db';
import { sql } from 'drizzle-orm';
import { createId } from '../../platform/ids.ts';
import { sealConfig } from '../../platform/secrets/sealed-config.ts';
import type { AdmittedRow } from '../../runs/deliveries/admitted.ts';
import { inputValueName, type CarriedNames } from '../../runs/stages/input-values.ts';
import { createCarryReader } from '../../runs/submission/carry-inputs.ts';
import { readKey, type CarryPlan } from '../../runs/submission/carry-plan.ts';
import type { StageSpec } from '../../runs/stages/stage-spec.ts';
import { createRoot } from '../../runs/submission/create-root.ts';
import type { RunAuthor } from '../../runs/submission/run-origin.ts';
import type { RunSource } from '../../runs/submission/run-source.ts';
import { sourceInput, sourceStageRow } from '../../runs/submission/source-stage.ts';
import {
  chargeable,
  DEFAULT_RETRIES,
  nextRunNumber,
  readBudget,
  type NewRun,
} from '../../runs/submission/create-run.ts';
import type { RunPlan } from '../../runs/submission/plan-run.ts';
import {
  checkInputs,
  storeInputs,
  type ReadInputs,
  type StoredInputs,
} from '../../runs/submission/prepare-run.ts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { RunInputs } from '../../runs/submission/run-inputs.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { trySinks, type PlannedStage } from '../plan-workflow.ts';
import { crawlRows, type CrawlRows } from './crawl-rows.ts';

interface Numbered {
  root: { id: string; no: string };
  /** `runs.no` by index of the part. */
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

/** What a workflow run is beside its stages. */
export interface RootPlan {
  accountId: string;
  by?: RunAuthor | undefined;
  kind: WorkflowRunKind;
  name: string | null;
  /** Null for a crawl that is not saved. */
  workflow: { id: string; version: number } | null;
  webhookUrl: string | undefined;
  /** Most tasks of all stages. */
  maxTasks: number;
  maxCredits: number | undefined;
  stages: readonly PlannedStage[];
  /** What all stages keep of the inputs: names of the values by column. */
  carry?: CarriedNames | undefined;
  /** The inputs of the first stage. Called once. */
  inputs: (target: ResolvedTarget) => RunInputs;
  /** What gives them when the run has been created; `inputs` then has none (`sourcedInputs`). */
  source?: RunSource | undefined;
  /** Ends the reading of inputs early. */
  signal?: AbortSignal | undefined;
}

function firstOf({ stages: [first] }: RootPlan): PlannedStage {
  if (first === undefined) throw new Error('a workflow has a stage');
  return first;
}

function pricesOf({ resolved: { price, config } }: PlannedStage): Pick<NewRun, 'price' | 'leastPrice'> {
  return { price, leastPrice: config.ways?.[0]?.price };
}

/** The most inputs that a run can be given. */
function mostInputs({ limit, part }: PlannedStage): number {
  return part === undefined
    ? (limit ?? MAX_WORKFLOW_TASKS)
    : Math.min(limit ?? MAX_START_URLS, MAX_START_URLS);
}

/** What the tasks of the first stage keep of their inputs; undefined: nothing. */
async function planStageInputs(services: SubmitServices, plan: RootPlan): Promise<CarryPlan | undefined> {
  const { stages, carry = {} } = plan;
  const { inputNames, columns, own, resolved, sink } = firstOf(plan);
  if (inputNames.length === 0) return undefined;
  const all = stages.flatMap((stage) => stage.columns);
  const isColumn = (name: string): boolean => columns.some(({ column }) => column === name);
  const reader = createCarryReader(
    carry,
    (name) => all.filter(({ from }) => from === inputValueName(name)),
    inputNames,
  );
  // Two tasks of one address would be one page to a stage that takes its own results.
  const isByAddress = own.length > 0;
  const key = await readKey(services, { target: resolved.target, sink }, isColumn);
  return { walk: { reader, key, isByAddress }, check: () => Promise.resolve() };
}

/** The inputs of the first stage, for the functions that read them. */
export async function planInputs(services: SubmitServices, id: string, plan: RootPlan): Promise<RunPlan> {
  const { accountId, kind, name, inputs, maxTasks, maxCredits, signal } = plan;
  const first = firstOf(plan);
  const maxInputs = Math.min(mostInputs(first), maxTasks);
  return {
    id,
    submission: {
      accountId,
      origin: kind === 'workflow' ? { type: kind, name: name ?? '' } : { type: 'crawl', name },
      bounds: { dedupe: true, maxInputs, maxCredits },
      signal,
    },
    target: first.resolved,
    inputs: inputs(first.resolved),
    sink: first.sink,
    carry: await planStageInputs(services, plan),
  };
}

/** The inputs of a run that waits for its source. @throws AppError invalid_request (source, max_credits) */
function noInputsYet(plan: RootPlan): StoredInputs {
  const first = firstOf(plan);
  if (first.part !== undefined)
    throw invalid(
      'source',
      'the workflow begins with a crawl, which takes start addresses',
      'Name sitemaps and feeds in `sources` of its crawl.',
    );
  readBudget({ ...pricesOf(first), maxCredits: plan.maxCredits, total: 1 });
  return { read: { total: 0, duplicates: 0, lines: [], no: undefined }, discard: () => undefined };
}

/** Checks everything about a run as `prepareRoot` does, and stores nothing. @throws AppError as `prepareRoot` */
export async function checkRoot(services: SubmitServices, plan: RootPlan): Promise<void> {
  const id = createId('workflowRun');
  await trySinks(services, { id, accountId: plan.accountId }, plan.stages);
  if (plan.source === undefined) await checkInputs(await planInputs(services, id, plan));
  else noInputsYet(plan);
}

/**
 * Does the slow parts of a planned run and those that need other systems: tries the sinks, reads the inputs.
 * @throws AppError not_found, invalid_request, temporarily_unavailable
 */
export async function prepareRoot(services: SubmitServices, plan: RootPlan): Promise<PreparedRun> {
  const numbered = await takeNumbers(services, plan.stages);
  const { id } = numbered.root;
  const no = numbered.numbers[0] ?? '';
  await trySinks(services, { id, accountId: plan.accountId }, plan.stages);
  const { read, discard } =
    plan.source === undefined
      ? await storeInputs(services, await planInputs(services, id, plan), no)
      : noInputsYet(plan);
  // In a statement of its own, because there may be a million: the transaction that creates the run must be short.
  if (read.lines === undefined && firstOf(plan).own.length > 0)
    await services.db.sql`UPDATE gleaner.tasks t SET key = md5(t.input)::uuid WHERE t.run_no = ${no}`;
  return { id, create: (tx) => createStages(services, tx, plan, { ...numbered, ...read }), discard };
}

function toStageRow(
  secretKey: string | undefined,
  { root, numbers }: Numbered,
  { carry }: Pick<RootPlan, 'carry'>,
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
    config: sealConfig(carry === undefined ? resolved.config : { ...resolved.config, carry }, {
      secretKey,
      id: `${root.id}/${stage.name}`,
    }),
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
  plan: RootPlan,
  { root, numbers: [firstNo = ''] }: Numbered,
  source: RunSource,
  rows: readonly StageRow[],
) {
  const { maxTasks, maxCredits, stages } = plan;
  const first = firstOf(plan);
  const no = String(BigInt(root.no) + BigInt(stages.length + 1));
  const { config } = first.resolved;
  const most = Math.min(first.limit ?? MAX_WORKFLOW_TASKS, maxTasks);
  return [
    sourceStageRow({
      root,
      no,
      to: firstNo,
      source,
      config,
      maxCredits: chargeable({ ...pricesOf(first), maxCredits }),
    }),
    ...rows.map((row, place) => ({
      ...row,
      sources: place === 0 ? [0] : row.sources.map((stage) => stage + 1),
      ...(place === 0 ? { maxTasks: most } : {}),
    })),
  ];
}

/**
 * Creates a workflow run with its stages in the caller's transaction.
 * @returns what to deliver after the commit
 * @throws AppError not_found, insufficient_credits, pending_limit, plan_limit_exceeded, temporarily_unavailable
 */
async function createStages(
  services: SubmitServices,
  tx: Transaction,
  plan: RootPlan,
  { total: inputs, duplicates, lines, ...numbered }: Numbered & ReadInputs,
): Promise<readonly AdmittedRow[]> {
  const { accountId, workflow, maxCredits, stages, source } = plan;
  // Locked until the commit, so that it is not deleted meanwhile.
  if (workflow !== null) await readOwn(tx, tables.workflows, accountId, workflow.id, { lock: 'key share' });
  const crawl = crawlRows(stages, numbered.numbers, lines ?? []);
  const { secretKey } = services.config;
  const rows = stages.map((stage, place) => ({
    ...toStageRow(secretKey, numbered, plan, stage, crawl),
    duplicates: place === 0 ? duplicates : 0,
  }));
  const root = {
    ...numbered.root,
    ...plan.by,
    kind: plan.kind,
    name: plan.name,
    webhookUrl: plan.webhookUrl ?? null,
    workflowId: workflow?.id ?? null,
    version: workflow?.version ?? null,
    maxTasks: plan.maxTasks,
    maxCredits: maxCredits ?? null,
  };
  if (source !== undefined)
    return createRoot(tx, {
      accountId,
      root,
      stages: behindSource(plan, numbered, source, rows),
      maxCredits: null,
      total: 1,
      inputs: sourceInput(source),
    });
  // A map that follows no links fetches no page, so its start pages are no tasks.
  const most = crawl?.member.pageLimit === 0 ? 0 : inputs;
  const budget = readBudget({ ...pricesOf(firstOf(plan)), maxCredits, total: most });
  // Start pages that the limit on credits does not pay for wait in the frontier.
  const [total, bound] = crawl === undefined ? [most, budget.maxCredits] : [budget.successes, null];
  const text = total === 0 ? null : (lines?.slice(0, total).join('\n') ?? null);
  const created = await createRoot(tx, {
    accountId,
    root,
    stages: rows,
    maxCredits: bound,
    total,
    inputs: text,
  });
  if (crawl !== undefined) await requireFewCrawls(tx, accountId);
  return created;
}
