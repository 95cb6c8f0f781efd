import { toStorableJson, type dryRunSchema } from '@gleaner/contracts';
import type { z } from 'zod';
import { refuseDryRun } from './run-source.ts';
import { readBudget } from './create-run.ts';
import { planRun, walkPlan, type RunPlan } from './plan-run.ts';
import type { SubmitServices } from './run-services.ts';
import type { RunSubmission } from './run-submission.ts';
import { readExpectedPrice, wayKey, type WayKey } from '../ways/way-memory.ts';
import { showRefused } from './show-refused.ts';

export type DryRun = z.input<typeof dryRunSchema>;

/** The share of tasks with this target that succeeded in the account's latest batches; 1 when there are none. */
async function readSuccessRate({ db }: SubmitServices, { submission, target }: RunPlan): Promise<number> {
  const [row] = await db.sql<{ rate: number | null }[]>`
    SELECT sum(succeeded)::float8 / nullif(sum(succeeded + failed), 0) AS rate FROM (
      SELECT succeeded, failed FROM gleaner.runs
      WHERE account_id = ${submission.accountId} AND kind = 'batch'
        AND target @> ${toStorableJson(target.target)}::text::jsonb
      ORDER BY id DESC LIMIT 20
    ) latest`;
  return row?.rate ?? 1;
}

/** Further hosts are taken to be like these. */
const MOST_HOSTS = 1_000;

/** Counts the pages of each host, when what is remembered of it says what they cost. */
function countHosts({ submission: { accountId }, target: { target, config } }: RunPlan) {
  const counts = new Map<WayKey, number>();
  return {
    counts,
    add: (line: string): undefined => {
      if (config.ways === undefined) return;
      const key = wayKey(accountId, URL.parse(line)?.host ?? '', target);
      if (counts.has(key) || counts.size < MOST_HOSTS) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}

/** A page gives one row, unless the sink writes a list. A prebuilt API may give any number of rows. */
function givesOneRow({ sink, target }: RunPlan): boolean {
  return sink?.mode === 'database' && sink.rows === undefined && target.takesUrls;
}

/**
 * Reports what a submission would do. Reads all inputs like `submitRun`, but only counts them.
 * @throws AppError the errors of `submitRun`, except those for invalid inputs and missing credits
 */
export async function dryRun(services: SubmitServices, submission: RunSubmission): Promise<DryRun> {
  refuseDryRun(submission.source);
  return dryRunPlan(services, await planRun(services, submission));
}

/** `dryRun` of a submission that is planned. */
export async function dryRunPlan(services: SubmitServices, plan: RunPlan): Promise<DryRun> {
  const refused: DryRun['refused'] = [];
  const hosts = countHosts(plan);
  const counts = await walkPlan(plan, {
    accept: hosts.add,
    refuse: (input) => showRefused(refused, input),
  });
  const { price } = plan.target;
  const { maxCredits } = plan.submission.bounds;
  const least = plan.target.config.ways?.[0]?.price ?? price;
  const budget = readBudget({ price, leastPrice: least, maxCredits, total: counts.accepted });
  const mostCredits = budget.maxCredits ?? price * counts.accepted;
  // Cheaper pages leave credits for more of them.
  const most = least === 0 ? budget.successes : Math.min(counts.accepted, Math.floor(mostCredits / least));
  const expected = Math.min(most, Math.round(counts.accepted * (await readSuccessRate(services, plan))));
  const { ways } = plan.target.config;
  const each = ways === undefined ? price : await readExpectedPrice(services.db, ways, hosts.counts);
  return {
    dry_run: true,
    inputs: counts.accepted,
    duplicates: counts.duplicates,
    refused_count: counts.refused,
    refused,
    credits: { least: 0, expected: Math.round(expected * each), most: mostCredits },
    rows: givesOneRow(plan) ? { least: 0, expected, most } : null,
  };
}
