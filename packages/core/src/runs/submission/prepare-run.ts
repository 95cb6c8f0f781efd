import { AppError, type RefusedInputs } from '@gleaner/contracts';
import type { CarriedNames } from '../stages/input-values.ts';
import { CARRY_LEVEL } from '../tasks/work-level.ts';
import { createRun, readBudget, type NewRun, nextRunNumber } from './create-run.ts';
import { planRun, walkPlan, type RunPlan } from './plan-run.ts';
import { prepareSourced } from './prepare-sourced.ts';
import type { PreparedRun } from './prepared-run.ts';
import { ORIGIN_TRAITS } from './run-origin.ts';
import type { SubmitServices } from './run-services.ts';
import type { RunSubmission } from './run-submission.ts';
import { showRefused } from './show-refused.ts';
import type { Transaction, Database } from '@gleaner/db';
import { write, type Context } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { createTaskLoader, type TaskLoader } from './load-tasks.ts';

/** Up to this many inputs stay in memory and are inserted by the creating transaction itself. */
const MAX_HELD = 1_000;

interface Line {
  line: string;
  carried: string | undefined;
}

/** Inputs of a run that does not exist yet: first held in memory, then, when there are too many, loaded as tasks. */
interface StagedInputs {
  /** Returns a promise when the caller must wait for room. */
  add(line: string, carried?: string): Promise<void> | undefined;
  /** Completes the loading. */
  finish(): Promise<FinishedInputs>;
  /** Removes the loaded inputs. Only for a run that certainly will not exist. */
  discard(): Promise<void>;
}

interface FinishedInputs {
  /** The lines in memory; undefined when all are loaded. */
  lines: string[] | undefined;
  /** The run's number: the given one, or that of the loaded tasks; undefined when it gets one of its creation. */
  no: string | undefined;
}

/** @param no the run's number, if it has one */
function stageInputs(db: Database, no?: string): StagedInputs {
  let number = no;
  let loader: TaskLoader | undefined;
  let held: Line[] = [];
  const load = async (lines: readonly Line[]): Promise<void> => {
    number ??= await nextRunNumber(db);
    loader = createTaskLoader(db, number);
    for (const { line, carried } of lines) await loader.add(line, carried);
  };
  return {
    add: (line, carried) => {
      if (loader) return loader.add(line, carried);
      held.push({ line, carried });
      // The statement that creates runs takes lines alone.
      if (carried === undefined && held.length <= MAX_HELD) return undefined;
      const lines = held;
      held = [];
      return load(lines);
    },
    finish: async () => {
      await loader?.finish();
      return { lines: loader ? undefined : held.map(({ line }) => line), no: number };
    },
    discard: async () => loader?.discard(),
  };
}

export interface ReadInputs extends FinishedInputs {
  total: number;
  /** The inputs that `dedupe` left out. */
  duplicates: number;
  /** The inputs that `skipInvalid` left out. */
  refused?: RefusedInputs | undefined;
  /** The values of inputs that tasks keep. */
  names?: CarriedNames | undefined;
}

/** Reads and stages all inputs. @throws AppError invalid_request for an invalid input, no input, or low max_credits */
async function readInputs(plan: RunPlan, staged: StagedInputs): Promise<ReadInputs> {
  const { bounds } = plan.submission;
  const shown: RefusedInputs['refused'] = [];
  const {
    accepted: total,
    duplicates,
    refused,
    names,
  } = await walkPlan(plan, {
    accept: staged.add,
    refuse: (input) => {
      if (bounds.skipInvalid !== true)
        throw new AppError('invalid_request', { field: input.field, detail: input.detail });
      showRefused(shown, input);
    },
  });
  const finished = await staged.finish();
  if (total === 0) {
    const detail = `no input is valid; the first: ${shown[0]?.detail}`;
    throw new AppError('invalid_request', { field: plan.inputs.field, detail });
  }
  readBudget({ price: plan.target.price, maxCredits: bounds.maxCredits, total });
  return { total, duplicates, refused: { refused_count: refused, refused: shown }, names, ...finished };
}

/** Reads all inputs like `readInputs`, but stores nothing. @throws AppError as `readInputs` */
export async function checkInputs(plan: RunPlan): Promise<void> {
  const unstored: StagedInputs = {
    add: () => undefined,
    finish: () => Promise.resolve({ lines: undefined, no: undefined }),
    discard: () => Promise.resolve(),
  };
  await readInputs(plan, unstored);
}

/** Checks a run like `prepareRun`, but stores nothing. @throws AppError the errors of `prepareRun` */
export async function checkRun(services: SubmitServices, submission: RunSubmission): Promise<void> {
  const plan = await planRun(services, submission);
  if (submission.source === undefined) await checkInputs(plan);
}

/** The inputs of a run that does not exist yet. */
export interface StoredInputs {
  read: ReadInputs;
  /** Removes them in the background. Only for a run that certainly does not exist. */
  discard: () => void;
}

/**
 * Reads all inputs and stores them when there are many; what is refused leaves nothing.
 * @param no the run's number, if it has one
 * @throws AppError invalid_request, as `readInputs`
 */
export async function storeInputs(
  { db, log }: SubmitServices,
  plan: RunPlan,
  no?: string,
): Promise<StoredInputs> {
  const staged = stageInputs(db, no);
  // A failure is only logged, so that it doesn't hide the reason of the refusal.
  const discard = (): void => {
    staged.discard().catch((error: unknown) => {
      log.warn({ err: error }, 'the inputs of a refused run stay until their partition is dropped');
    });
  };
  try {
    return { read: await readInputs(plan, staged), discard };
  } catch (error) {
    discard();
    throw error;
  }
}

function toNewRun(
  { config }: SubmitServices,
  { id, submission, target, sink }: RunPlan<RunSubmission>,
  { no, total, lines, names }: Omit<ReadInputs, 'duplicates'>,
): NewRun {
  const { origin } = submission;
  return {
    id,
    no,
    accountId: submission.accountId,
    kind: ORIGIN_TRAITS[origin.type].runKind,
    name: 'name' in origin ? origin.name : null,
    queue: target.queue,
    target: target.target,
    config:
      names === undefined
        ? target.config
        : { ...target.config, carry: names, needs: Math.max(target.config.needs ?? 0, CARRY_LEVEL) },
    secretKey: config.secretKey,
    sink,
    webhookUrl: submission.webhookUrl,
    price: target.price,
    leastPrice: target.config.ways?.[0]?.price,
    maxCredits: submission.bounds.maxCredits,
    total,
    inputs: lines,
    by: submission.by,
  };
}

/**
 * Does the slow steps of creating a run: resolves the target, tests the sink and reads the inputs. Uses separate
 * connections, so call it before you open a transaction.
 * @throws AppError not_found, invalid_request, temporarily_unavailable
 */
export async function prepareRun(services: SubmitServices, submission: RunSubmission): Promise<PreparedRun> {
  const plan = await planRun(services, submission);
  const { source, bounds } = submission;
  if (source !== undefined) {
    const batch = toNewRun(services, plan, { no: undefined, total: 0, lines: undefined });
    return prepareSourced(services, batch, { source, maxInputs: bounds.maxInputs });
  }
  const { read, discard } = await storeInputs(services, plan);
  const row = toNewRun(services, plan, read);
  return {
    id: plan.id,
    row,
    refused: read.refused,
    create: (tx) => createRun(tx, row),
    discard,
  };
}

/**
 * Creates a prepared run in the transaction of a writing call and calls a worker, or removes the run's stored inputs.
 * @param answer reads the call's answer from the same transaction; rows that it writes commit with the run
 * @throws AppError insufficient_credits, pending_limit, temporarily_unavailable
 */
export async function submitRun<T>(
  ctx: Context,
  run: PreparedRun,
  answer: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let hasBegun = false;
  let admitted: readonly AdmittedRow[] = [];
  let result: T;
  try {
    result = await write(ctx, async (tx) => {
      hasBegun = true;
      admitted = await run.create(tx);
      return answer(tx);
    });
  } catch (error) {
    // Only a refusal proves a rollback. After another error the run may exist, because the commit's answer may be lost.
    if (!hasBegun || error instanceof AppError) run.discard();
    throw error;
  }
  await deliverAdmitted(ctx.services.queue, ctx.log, admitted);
  return result;
}
