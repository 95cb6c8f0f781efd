import type { Readable } from 'node:stream';
import type { Batch, BatchFields, Client, DryRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { Fault } from '../fault.ts';
import { note, plural, show } from '../terminal/output.ts';
import { noteEnd, saveDownload } from './batch-output.ts';
import { comeBackCommand } from './come-back.ts';
import { noteRefused, printDryRun } from './print-dry-run.ts';
import { exportFormatOf, type FollowFlags } from './follow-options.ts';
import { connect } from './service-command.ts';
import { untilInterrupted } from './interrupt.ts';
import { openInput } from '../read-file.ts';
import { formatOf, readInputs, type InputFormat } from './read-inputs.ts';
import { printBatch } from './records.ts';
import { sourceOf, type SourceFlags } from './source-options.ts';
import { workOf, type WorkFlags } from './target-options.ts';
import { watchRun } from './watch-run.ts';

export interface SubmitFlags extends FollowFlags, WorkFlags, SourceFlags {
  format?: InputFormat;
  name?: string;
  maxCredits?: number;
  dedupe?: boolean;
  skipInvalid?: boolean;
  webhookUrl?: string;
  dryRun?: boolean;
  idempotencyKey?: string;
}

async function fieldsOf(client: Client, flags: SubmitFlags): Promise<BatchFields> {
  return {
    ...(await workOf(client, flags)),
    name: flags.name,
    max_credits: flags.maxCredits,
    dedupe: flags.dedupe,
    skip_invalid: flags.skipInvalid,
    webhook_url: flags.webhookUrl,
    dry_run: flags.dryRun,
  };
}

/** Sends the inputs. Ctrl-C before the service has answered ends the upload, and no batch is made. */
async function upload(
  client: Client,
  fields: BatchFields,
  { input, format, key }: { input: Readable; format: InputFormat; key: string | undefined },
): Promise<Batch | DryRun> {
  const remark =
    'Interrupted while the inputs were sent. `gleaner batch list` shows whether the batch was created.';
  const send = (signal: AbortSignal): Promise<Batch | DryRun> => {
    const options = { signal, idempotencyKey: key };
    if (format === 'lines')
      return client.batches.upload(fields, readInputs(input, fields.skip_invalid === true), options);
    const [filename, contentType] =
      format === 'csv' ? ['inputs.csv', 'text/csv'] : ['inputs.ndjson', 'application/x-ndjson'];
    return client.batches.createFromFile(
      { ...fields, file: { content: input, filename, contentType } },
      options,
    );
  };
  return untilInterrupted(remark, send).finally(() => input.destroy());
}

/** Follows a batch to its end and writes its results. @throws ExitCode when the batch failed */
export async function followBatch(client: Client, id: string, flags: FollowFlags): Promise<void> {
  const format = exportFormatOf(flags);
  const isQuiet = flags.quiet === true;
  const { output, strict, service, json } = flags;
  const again = { csv: format === 'csv', ndjson: format === 'ndjson', output, strict, json, service };
  const batch = await watchRun<Batch>(
    {
      id,
      what: 'batch',
      waitFor: (options) => client.batches.waitFor(id, options),
      readCauses: async (signal) =>
        (await client.batches.failures(id, { limit: 1 }, { signal, retries: 0 })).causes ?? [],
    },
    { isQuiet, comeBack: comeBackCommand(['batch', 'watch', id], again) },
  );
  if (format !== undefined && batch.mode === 'return') {
    await saveDownload(await client.batches.export(id, { format }), flags.output);
  } else if (format !== undefined) {
    note(`The rows are in the database: gleaner db export. ${id} keeps no results.`);
  } else show(batch, flags.json, printBatch);
  if (batch.source?.error != null) note(`Its source failed: ${batch.source.error}`);
  if (!isQuiet) await noteEnd(client, batch);
  const hasFailures = batch.counts.failed + batch.counts.cancelled > 0;
  if (batch.status !== 'succeeded' || (flags.strict === true && hasFailures)) {
    throw new ExitCode(EXIT.runFailed);
  }
}

/** Creates a batch of the inputs of a file, or of a source. */
async function create(client: Client, path: string, flags: SubmitFlags): Promise<Batch | DryRun> {
  const source = sourceOf(flags);
  if (source !== undefined && path !== '-') throw new Fault('A file, or --sitemap or --feed: not both.');
  const fields = await fieldsOf(client, flags);
  const { idempotencyKey: key } = flags;
  if (source !== undefined) return client.batches.create({ ...fields, ...source }, { idempotencyKey: key });
  const input = await openInput(path, 'inputs');
  return upload(client, fields, { input, format: flags.format ?? formatOf(path), key });
}

export async function submitBatch(path: string, flags: SubmitFlags): Promise<void> {
  const client = connect(flags);
  const follows = flags.watch === true || exportFormatOf(flags) !== undefined;
  const made = await create(client, path, flags);
  if ('dry_run' in made) return printDryRun(made, flags);
  const { refused = [], refused_count = 0 } = made;
  noteRefused(refused);
  if (refused_count > 0) note(`${plural(refused_count, 'invalid input')} left out.`);
  if (!follows) return show(made, flags.json, printBatch);
  if (flags.quiet !== true)
    note(`${made.id}: ${made.source === null ? plural(made.counts.total, 'input') : 'reads its source'}`);
  await followBatch(client, made.id, flags);
}
