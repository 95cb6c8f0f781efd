import { batchFields, MAX_BATCH_INPUTS, shortenText } from '@gleaner/contracts';
import type { Context, Perform } from '../../platform/context.ts';
import type { SheetServices } from '../../storage/sheets/sheets.ts';
import { resolveSlugs } from '../../platform/slugs/resolve-slugs.ts';
import { dryRun } from '../submission/dry-run.ts';
import type { RunSubmission } from '../submission/run-submission.ts';
import { prepareRun, submitRun } from '../submission/prepare-run.ts';
import { submitServicesOf, type RunServices } from '../submission/run-services.ts';
import { readBatchRecord } from './batch-record.ts';
import { readBatchRequest, type BatchRequest } from './read-batch-request.ts';

function toSubmission(
  { accountId, keyId, signal }: Context,
  { fields, inputs, source }: BatchRequest,
): RunSubmission {
  return {
    accountId,
    origin: { type: 'batch', name: fields.name ?? null },
    by: { keyId },
    target: fields.target,
    config: fields.scrape_config,
    sink: fields.sink,
    webhookUrl: fields.webhook_url,
    keepPages: fields.keep_pages,
    carry: fields.carry,
    inputs,
    source,
    bounds: {
      dedupe: fields.dedupe,
      skipInvalid: fields.skip_invalid,
      maxInputs: MAX_BATCH_INPUTS,
      maxCredits: fields.max_credits,
    },
    signal,
  };
}

const MOST_NAMES = 10;

function leftOutNote(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => shortenText(name.replaceAll(/[^\w -]/g, '?'), 40));
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `columns of the file that results leave out: ${shown.join(', ')}${rest}; carry keeps them`;
}

/** Creates a run of up to a million tasks and loads the inputs while they arrive; or performs a dry run. */
export const createBatch: Perform<'createBatch', RunServices & SheetServices> = async (ctx, input) => {
  const request = await readBatchRequest(input, {
    readSheet: (archive) => ctx.services.sheets.read(archive, ctx),
    onLeftOut: (names) => {
      ctx.notes = leftOutNote(names);
    },
  });
  // A form still has slugs; a JSON body has ids by now.
  await resolveSlugs(ctx, [[batchFields, request.fields]]);
  const submission = toSubmission(ctx, request);
  const services = submitServicesOf(ctx);
  if (request.fields.dry_run) return dryRun(services, submission);
  const run = await prepareRun(services, submission);
  return submitRun(ctx, run, async (tx) => ({
    ...(await readBatchRecord(tx, ctx.accountId, run.id)),
    ...(request.fields.skip_invalid ? run.refused : {}),
  }));
};
