import { invalid } from '../platform/invalid-request.ts';
import {
  MAX_BATCH_INPUTS,
  MAX_CRON_INPUTS,
  type Carry,
  type CronTarget,
  type KeepPages,
  type ScrapeConfig,
  type Sink,
  type SourceField,
  type Target,
} from '@gleaner/contracts';
import type { tables } from '@gleaner/db';
import type { WithSecretKey } from '../parsers/read-parsers.ts';
import { openConfig, sealConfig, type StoredConfig } from '../platform/secrets/sealed-config.ts';
import { readRunSource, sourcedInputs, type RunSource } from '../runs/submission/run-source.ts';
import { namesOfInputs } from '../runs/submission/carry-inputs.ts';
import { dryRun } from '../runs/submission/dry-run.ts';
import { checkRun, prepareRun } from '../runs/submission/prepare-run.ts';
import type { ResolvedTarget } from '../runs/submission/resolve-target.ts';
import { listInputs, singleInput, type RunInputs } from '../runs/submission/run-inputs.ts';
import type { RunAuthor } from '../runs/submission/run-origin.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import type { RunSubmission } from '../runs/submission/run-submission.ts';
import {
  checkWorkflowRun,
  dryRunWorkflow,
  prepareWorkflowRun,
  type WorkflowSubmission,
} from '../workflows/runs/prepare-workflow-run.ts';

/** The submission of a cron's firing. */
export interface CronWork {
  name: string;
  target: CronTarget;
  scrapeConfig: ScrapeConfig;
  sink: Sink | null;
  url: string | null;
  inputs: readonly unknown[] | null;
  source: SourceField | null;
  since: string | null;
  maxCredits: number | null;
  keepPages: KeepPages | null;
  carry: Carry | null;
  /** The key that last changed the cron. */
  keyId: string | null;
}

export type CronRow = typeof tables.crons.$inferSelect;

/** The row's JSON columns, which only createCron and updateCron write. @throws AppError as `openConfig` does */
export function readWork({ config: { secretKey } }: WithSecretKey, row: CronRow): CronWork {
  return {
    name: row.name,
    target: row.target as CronTarget,
    scrapeConfig: openConfig(row.scrapeConfig as StoredConfig, { secretKey, id: row.id }),
    sink: row.sink as Sink | null,
    url: row.url,
    inputs: row.inputs as unknown[] | null,
    source: row.source as SourceField | null,
    since: row.since,
    maxCredits: row.maxCredits,
    keepPages: row.keepPages,
    carry: row.carry as Carry | null,
    keyId: row.keyId,
  };
}

/** The columns of a cron's work. @throws AppError as `sealConfig` does */
export function toWorkColumns(
  { config: { secretKey } }: WithSecretKey,
  { id, inClear }: { id: string; inClear: boolean },
  work: CronWork,
) {
  return { ...work, scrapeConfig: sealConfig(work.scrapeConfig, { secretKey, id, inClear }) };
}

interface GivenWork {
  work: CronWork;
  source: RunSource | undefined;
  by: RunAuthor;
}

function readInputs({ url, inputs, source }: CronWork, target: ResolvedTarget): RunInputs {
  if (source !== null) return sourcedInputs(target, { url, inputs });
  const { takesUrls } = target;
  if (url !== null && inputs !== null) throw invalid('inputs', 'a cron has url or inputs, not both');
  if (inputs !== null) return listInputs('inputs', inputs);
  if (!takesUrls && url !== null) throw invalid('url', 'this target takes inputs');
  if (url === null)
    throw invalid(
      takesUrls ? 'url' : 'inputs',
      'is missing',
      takesUrls ? 'Give url, inputs or source.' : 'Give inputs: a list of the parameters of the API.',
    );
  return singleInput('url', url);
}

/** What the run keeps of its inputs, which are known. */
function readCarry({ carry, inputs }: CronWork): Exclude<Carry, true> | undefined {
  return carry === true ? namesOfInputs(inputs ?? []) : (carry ?? undefined);
}

/** @throws AppError invalid_request: scrape_config, sink: those of the stages count */
function toWorkflowSubmission(
  accountId: string,
  workflowId: string,
  { work, source, by }: GivenWork,
): WorkflowSubmission {
  const foreign = work.sink !== null ? 'sink' : 'scrape_config';
  if (work.sink !== null || Object.keys(work.scrapeConfig).length > 0)
    throw invalid(
      foreign,
      `the stages of a workflow have a ${foreign} of their own`,
      `Leave it out, or change the workflow's stages.`,
    );
  return {
    accountId,
    by,
    workflowId,
    workflowField: 'target.workflowId',
    needsFinalSinks: true,
    maxCredits: work.maxCredits ?? undefined,
    inputs: (resolved) => readInputs(work, resolved),
    source,
    carry: readCarry(work),
  };
}

/** @throws AppError invalid_request (sink) */
function toRunSubmission(accountId: string, target: Target, { work, source, by }: GivenWork): RunSubmission {
  const { sink } = work;
  if (sink?.mode !== 'database')
    throw invalid(
      'sink',
      `a cron with a ${target.type} target needs a sink of mode database`,
      'Create a database with POST /v1/databases and name it in sink.database.',
    );
  return {
    accountId,
    origin: { type: 'cron', name: work.name },
    by,
    target,
    config: work.scrapeConfig,
    sink,
    keepPages: work.keepPages ?? undefined,
    carry: readCarry(work),
    inputs: (resolved) => readInputs(work, resolved),
    source,
    bounds: {
      maxInputs: source === undefined ? MAX_CRON_INPUTS : MAX_BATCH_INPUTS,
      maxCredits: work.maxCredits ?? undefined,
    },
  };
}

/**
 * The run that a firing submits, a batch or a workflow run: prepared, checked, or only described.
 * @param cron null for one that is not stored yet
 * @throws AppError invalid_request (sink, scrape_config, since); its functions throw what `prepareRun` or `prepareWorkflowRun` do
 */
export function cronRun(
  services: SubmitServices,
  accountId: string,
  { work, cron }: { work: CronWork; cron: { id: string; no: number } | null },
) {
  const { target } = work;
  const given = {
    work,
    source: readRunSource(work.source, work.since, cron === null ? null : String(cron.no)),
    by: { keyId: work.keyId ?? undefined, cronId: cron?.id },
  };
  if (target.type === 'workflow') {
    const submission = toWorkflowSubmission(accountId, target.workflowId, given);
    return {
      prepare: () => prepareWorkflowRun(services, submission),
      check: () => checkWorkflowRun(services, submission),
      dryRun: () => dryRunWorkflow(services, submission),
    };
  }
  const submission = toRunSubmission(accountId, target, given);
  return {
    prepare: () => prepareRun(services, submission),
    check: () => checkRun(services, submission),
    dryRun: () => dryRun(services, submission),
  };
}
