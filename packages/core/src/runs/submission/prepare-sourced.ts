import { MAX_INTEGER } from '@gleaner/contracts';
import type { Transaction } from '@gleaner/db';
import type { AdmittedRow } from '../deliveries/admitted.ts';
import { createRoot } from './create-root.ts';
import { chargeable, nextRunNumber, readBudget, toRunRow, type NewRun } from './create-run.ts';
import type { PreparedRun } from './prepared-run.ts';
import type { SubmitServices } from './run-services.ts';
import type { RunSource } from './run-source.ts';
import { sourceInput, sourceStageRow } from './source-stage.ts';

/** The limit on the tasks of a root: the batch has one of its own. */
const UNLIMITED = MAX_INTEGER;

/** A batch that waits for its source, as the second stage of a root that nobody sees. */
function toWaitingRow(run: NewRun, maxInputs: number) {
  const row = toRunRow({ ...run, total: 0, inputs: undefined });
  return {
    ...row,
    webhookUrl: row.webhook_url ?? null,
    sink: row.sink ?? null,
    role: null,
    sources: [0],
    plan: {},
    maxTasks: maxInputs,
    takesOwn: false,
  };
}

/** Creates a batch whose inputs are the entries of a source, in the caller's transaction. */
function createSourced(
  tx: Transaction,
  { batch, source, maxInputs }: { batch: NewRun; source: RunSource; maxInputs: number },
): Promise<readonly AdmittedRow[]> {
  const { no = '', accountId, config } = batch;
  const maxCredits = chargeable(batch);
  const root = { id: `${batch.id}/source`, no: String(BigInt(no) + 1n) };
  const reader = sourceStageRow({ root, no: String(BigInt(no) + 2n), to: no, source, config, maxCredits });
  return createRoot(tx, {
    accountId,
    root: { ...root, ...batch.by, runKind: 'stage', maxTasks: UNLIMITED },
    stages: [reader, toWaitingRow(batch, maxInputs)],
    maxCredits: null,
    total: 1,
    inputs: sourceInput(source),
  });
}

/**
 * A batch that gets its inputs when its source was read.
 * @param batch without inputs
 * @throws AppError invalid_request (max_credits)
 */
export async function prepareSourced(
  { db }: SubmitServices,
  batch: NewRun,
  { source, maxInputs }: { source: RunSource; maxInputs: number },
): Promise<PreparedRun> {
  readBudget({ ...batch, total: 1 });
  const no = await nextRunNumber(db);
  return {
    id: batch.id,
    create: (tx) => createSourced(tx, { batch: { ...batch, no }, source, maxInputs }),
    discard: () => undefined,
  };
}
