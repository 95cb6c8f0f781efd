import { AppError, MAX_BATCH_INPUTS, type BatchFields, type dryRunSchema } from '@gleaner/contracts';
import type { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { readBudget } from '../submission/create-run.ts';
import type { ResolvedTarget } from '../submission/resolve-target.ts';
import type { BatchInputs } from './create-batch.ts';
import { checkInput } from './input-check.ts';
import { createInputSet } from './input-set.ts';

const MAX_SHOWN = 100;
const MAX_INPUT_LENGTH = 500;

type DryRun = z.input<typeof dryRunSchema>;

function show(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_INPUT_LENGTH);
}

/** The share of tasks of this target that succeeded in the account's latest runs; 1 when nothing is known. */
async function readSuccessRate(ctx: Context, resolved: ResolvedTarget): Promise<number> {
  const [row] = await ctx.services.db.sql<{ rate: number | null }[]>`
    SELECT sum(succeeded)::float8 / nullif(sum(succeeded + failed), 0) AS rate FROM (
      SELECT succeeded, failed FROM gleaner.runs
      WHERE account_id = ${ctx.accountId} AND kind = 'batch' AND target @> ${JSON.stringify(resolved.target)}::text::jsonb
      ORDER BY id DESC LIMIT 20
    ) latest`;
  return row?.rate ?? 1;
}

/** What a batch would do; nothing is stored. */
export async function answerDryRun(
  ctx: Context,
  fields: BatchFields,
  resolved: ResolvedTarget,
  inputs: BatchInputs,
): Promise<DryRun> {
  const seen = fields.dedupe ? createInputSet() : undefined;
  const refused: DryRun['refused'] = [];
  let index = 0;
  let refusedCount = 0;
  let duplicates = 0;
  let accepted = 0;
  for await (const block of inputs.blocks) {
    for (const input of block) {
      const checked = checkInput(resolved, input);
      if ('fault' in checked) {
        refusedCount += 1;
        if (refused.length < MAX_SHOWN) {
          const { detail } = inputs.describe(input.at);
          refused.push({ index, input: show(input.value), detail: `${detail}${checked.fault}` });
        }
      } else if (seen?.add(checked.line) === false) duplicates += 1;
      else accepted += 1;
      index += 1;
      if (accepted > MAX_BATCH_INPUTS) {
        throw new AppError('invalid_request', {
          field: 'inputs',
          detail: `a batch has at most ${MAX_BATCH_INPUTS} inputs`,
        });
      }
    }
  }
  const most = readBudget({ price: resolved.price, maxCredits: fields.max_credits, total: accepted });
  const expected = Math.min(most, Math.round(accepted * (await readSuccessRate(ctx, resolved))));
  const isOneRowEach =
    fields.sink?.mode === 'database' && fields.sink.rows === undefined && resolved.takesUrls;
  return {
    dry_run: true,
    inputs: accepted,
    duplicates,
    refused_count: refusedCount,
    refused,
    credits: { least: 0, expected: expected * resolved.price, most: most * resolved.price },
    rows: isOneRowEach ? { least: 0, expected, most } : null,
  };
}
