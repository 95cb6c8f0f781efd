import {
  AppError,
  type createJob as operation,
  type JobRecord,
  type OperationInput,
} from '@gleaner/contracts';
import { write, type Context } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { deliverAdmitted } from '../deliveries/admitted.ts';
import { createRun, nextRunNumber } from '../submission/create-run.ts';
import { resolveTarget } from '../submission/resolve-target.ts';
import { openRunSink } from '../submission/run-sink.ts';
import type { RunServices } from '../submission/run-services.ts';
import { readJobRecord } from './job-record.ts';

/** A run of one task. */
export async function createJob(
  ctx: Context<RunServices>,
  { body }: OperationInput<typeof operation>,
): Promise<JobRecord> {
  const { services } = ctx;
  const resolved = await resolveTarget(ctx, body.target, body.scrape_config);
  const field = resolved.takesUrls ? 'url' : 'input';
  const other = resolved.takesUrls ? 'input' : 'url';
  if (body[other] !== undefined) {
    throw new AppError('invalid_request', { field: other, detail: `this target takes ${field}` });
  }
  if (body[field] === undefined) throw new AppError('invalid_request', { field, detail: 'is missing' });
  const checked = resolved.check(body[field]);
  if ('fault' in checked) throw new AppError('invalid_request', { field, detail: checked.fault });

  const id = createId('job');
  const { sink } = body;
  if (sink?.mode === 'database') {
    await openRunSink(services, { id, accountId: ctx.accountId, target: resolved.target, sink });
  }
  const no = await nextRunNumber(services.db);
  let admitted: Awaited<ReturnType<typeof createRun>> = [];
  const record = await write(ctx, async (tx) => {
    admitted = await createRun(tx, {
      id,
      no,
      accountId: ctx.accountId,
      kind: 'job',
      name: null,
      queue: resolved.queue,
      target: resolved.target,
      config: resolved.config,
      sink,
      webhookUrl: body.webhook_url,
      price: resolved.price,
      maxCredits: undefined,
      total: 1,
      inputs: [checked.line],
    });
    return readJobRecord(tx, ctx.accountId, id);
  });
  await deliverAdmitted(services.queue, ctx.log, admitted);
  return record;
}
