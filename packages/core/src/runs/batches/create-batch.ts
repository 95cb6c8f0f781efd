import { AppError, MAX_BATCH_INPUTS, type BatchFields, type BatchRecord } from '@gleaner/contracts';
import type { createBatch as operation, OperationInput, OperationOutput } from '@gleaner/contracts';
import { write, type Context } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { deliverAdmitted } from '../deliveries/admitted.ts';
import { createRun, nextRunNumber, readBudget } from '../submission/create-run.ts';
import { resolveTarget, type ResolvedTarget } from '../submission/resolve-target.ts';
import { openRunSink } from '../submission/run-sink.ts';
import type { RunServices } from '../submission/run-services.ts';
import { readBatchRecord } from './batch-record.ts';
import { answerDryRun } from './dry-run.ts';
import { checkInput } from './input-check.ts';
import { createInputSet } from './input-set.ts';
import { createTaskLoader, type TaskLoader } from './load-tasks.ts';
import { readBatchForm } from './read-batch-form.ts';
import { readCsvInputs, readListInputs, readNdjsonInputs, type InputBlock } from './read-inputs.ts';

/** Up to so many inputs are written in the creating transaction itself. */
const MAX_INLINE = 1_000;

export interface BatchInputs {
  blocks: AsyncIterable<InputBlock>;
  /** What names all of them in messages. */
  field: string;
  /** The place of an input in messages: `urls[17]`, `line 18`. */
  describe: (at: number) => { field: string; detail: string };
}

interface Opened {
  fields: BatchFields;
  resolved: ResolvedTarget;
  inputs: BatchInputs;
}

function listInputs(field: 'urls' | 'inputs', list: readonly unknown[]): BatchInputs {
  return {
    blocks: readListInputs(list),
    field,
    describe: (at) => ({ field: `${field}[${at}]`, detail: '' }),
  };
}

async function openJson(
  ctx: Context<RunServices>,
  body: OperationInput<typeof operation>['body'],
): Promise<Opened> {
  if (body === undefined) throw new AppError('invalid_request', { field: 'body' });
  const { urls, inputs, ...fields } = body;
  const resolved = await resolveTarget(ctx, fields.target, fields.scrape_config);
  if (urls !== undefined && inputs !== undefined) {
    throw new AppError('invalid_request', { field: 'inputs', detail: 'give urls or inputs, not both' });
  }
  if (urls !== undefined && !resolved.takesUrls) {
    throw new AppError('invalid_request', { field: 'urls', detail: 'a prebuilt API takes inputs, not urls' });
  }
  const list = urls ?? inputs ?? [];
  return { fields, resolved, inputs: listInputs(urls === undefined && inputs ? 'inputs' : 'urls', list) };
}

async function openForm(
  ctx: Context<RunServices>,
  parts: NonNullable<OperationInput<typeof operation>['upload']>,
): Promise<Opened> {
  const { fields, format, file } = await readBatchForm(parts[Symbol.asyncIterator]());
  const resolved = await resolveTarget(ctx, fields.target, fields.scrape_config);
  const blocks = format === 'csv' ? readCsvInputs(file, resolved.takesUrls) : readNdjsonInputs(file);
  return {
    fields,
    resolved,
    inputs: { blocks, field: 'file', describe: (at) => ({ field: 'file', detail: `line ${at} ` }) },
  };
}

function tooMany(field: string): AppError {
  return new AppError('invalid_request', { field, detail: `a batch has at most ${MAX_BATCH_INPUTS} inputs` });
}

/** Reads, checks and loads all inputs; small batches stay in memory. */
async function loadInputs(
  ctx: Context<RunServices>,
  { fields, resolved, inputs }: Opened,
  loader: TaskLoader,
): Promise<{ total: number; lines: string[] | undefined }> {
  const seen = fields.dedupe ? createInputSet() : undefined;
  let lines: string[] | undefined = [];
  let total = 0;
  for await (const block of inputs.blocks) {
    ctx.signal.throwIfAborted();
    for (const input of block) {
      const { at } = input;
      const checked = checkInput(resolved, input);
      if ('fault' in checked) {
        const { field, detail } = inputs.describe(at);
        throw new AppError('invalid_request', { field, detail: `${detail}${checked.fault}` });
      }
      if (seen?.add(checked.line) === false) continue;
      total += 1;
      if (total > MAX_BATCH_INPUTS) throw tooMany(inputs.describe(at).field);
      if (lines && lines.length < MAX_INLINE) {
        lines.push(checked.line);
        continue;
      }
      if (lines) {
        for (const line of lines) await loader.add(line);
        lines = undefined;
      }
      const room = loader.add(checked.line);
      if (room) await room;
    }
  }
  if (!lines) await loader.finish();
  if (total === 0) {
    throw new AppError('invalid_request', { field: inputs.field, detail: 'there are no inputs' });
  }
  return { total, lines };
}

/** Nothing stays of inputs whose batch is refused. Removing them must not hide why. */
function discard(ctx: Context, loader: TaskLoader): void {
  loader.discard().catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'inputs of a refused batch stay until their partition goes');
  });
}

/**
 * Creates a batch: its inputs are loaded while they arrive, then the run, its reservation and its first chunks come to
 * be in one transaction.
 */
export async function createBatch(
  ctx: Context<RunServices>,
  { body, upload }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const opened = upload === undefined ? await openJson(ctx, body) : await openForm(ctx, upload);
  const { fields, resolved, inputs } = opened;
  const id = createId('batch');
  const { sink } = fields;
  if (sink?.mode === 'database') {
    await openRunSink(ctx.services, { id, accountId: ctx.accountId, target: resolved.target, sink });
  }
  if (fields.dry_run) return answerDryRun(ctx, fields, resolved, inputs);
  const no = await nextRunNumber(ctx.services.db);
  const loader = createTaskLoader(ctx.services.db, no);
  let admitted: Awaited<ReturnType<typeof createRun>> = [];
  const create = async (total: number, lines: string[] | undefined): Promise<BatchRecord> =>
    write(ctx, async (tx) => {
      admitted = await createRun(tx, {
        id,
        no,
        accountId: ctx.accountId,
        kind: 'batch',
        name: fields.name ?? null,
        queue: resolved.queue,
        target: resolved.target,
        config: resolved.config,
        sink,
        webhookUrl: fields.webhook_url,
        price: resolved.price,
        maxCredits: fields.max_credits,
        total,
        inputs: lines,
      });
      return readBatchRecord(tx, ctx.accountId, id);
    });
  let isWriting = false;
  let record: BatchRecord;
  try {
    const { total, lines } = await loadInputs(ctx, opened, loader);
    readBudget({ price: resolved.price, maxCredits: fields.max_credits, total });
    isWriting = true;
    record = await create(total, lines);
  } catch (error) {
    // Of a transaction only a refusal is certain; after anything else the run may be there: a commit whose answer was lost.
    if (!isWriting || error instanceof AppError) discard(ctx, loader);
    throw error;
  }
  await deliverAdmitted(ctx.services.queue, ctx.log, admitted);
  return record;
}
