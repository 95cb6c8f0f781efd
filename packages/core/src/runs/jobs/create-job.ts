import { AppError } from '@gleaner/contracts';
import type { InputOf, Perform } from '../../platform/context.ts';
import { dryRun } from '../submission/dry-run.ts';
import type { ResolvedTarget } from '../submission/resolve-target.ts';
import { singleInput, type RunInputs } from '../submission/run-inputs.ts';
import { prepareRun, submitRun } from '../submission/prepare-run.ts';
import { submitServicesOf, type RunServices } from '../submission/run-services.ts';
import type { RunSubmission } from '../submission/run-submission.ts';
import { readJobRecord } from './job-record.ts';

type Body = InputOf<'createJob'>['body'];

/** @throws AppError invalid_request for a missing input, or a field that doesn't fit the target */
function readInput(body: Body, { takesUrls }: ResolvedTarget): RunInputs {
  const [field, other] = takesUrls ? (['url', 'input'] as const) : (['input', 'url'] as const);
  if (body[other] !== undefined) {
    throw new AppError('invalid_request', {
      field: other,
      detail: `${takesUrls ? 'a parser' : 'a prebuilt API'} takes ${field}, not ${other}`,
    });
  }
  if (body[field] === undefined) throw new AppError('invalid_request', { field, detail: 'is missing' });
  return singleInput(field, body[field]);
}

/** Creates a run of one task; or answers a dry run. */
export const createJob: Perform<'createJob', RunServices> = async (ctx, { body }) => {
  const { accountId } = ctx;
  const submission: RunSubmission = {
    accountId,
    origin: { type: 'job' },
    by: { keyId: ctx.keyId },
    target: body.target,
    config: body.scrape_config,
    sink: body.sink,
    webhookUrl: body.webhook_url,
    keepPages: body.keep_pages,
    inputs: (target) => readInput(body, target),
    bounds: { maxInputs: 1, maxCredits: body.max_credits },
  };
  const services = submitServicesOf(ctx);
  if (body.dry_run === true) return dryRun(services, submission);
  const run = await prepareRun(services, submission);
  return submitRun(ctx, run, (tx) => readJobRecord(tx, accountId, run.id));
};
