import { AppError, MAX_CRON_INPUTS, type CronTarget, type KeepPages, type ScrapeConfig, type Sink } from '@gleaner/contracts';
import type { ResolvedTarget } from '../runs/submission/resolve-target.ts';
import { listInputs, singleInput, type RunInputs } from '../runs/submission/run-inputs.ts';
import type { RunSubmission } from '../runs/submission/run-submission.ts';

/** What a firing of a cron submits. */
export interface CronWork {
  name: string;
  target: CronTarget;
  scrapeConfig: ScrapeConfig;
  sink: Sink | null;
  url: string | null;
  inputs: readonly unknown[] | null;
  maxCredits: number | null;
  keepPages: KeepPages | null;
}

function readInputs({ url, inputs }: CronWork, { takesUrls }: ResolvedTarget): RunInputs {
  if (url !== null && inputs !== null) {
    throw new AppError('invalid_request', { field: 'inputs', detail: 'a cron has url or inputs, not both' });
  }
  if (inputs !== null) return listInputs('inputs', inputs);
  if (!takesUrls && url !== null) {
    throw new AppError('invalid_request', { field: 'url', detail: 'this target takes inputs' });
  }
  if (url === null) {
    throw new AppError('invalid_request', { field: takesUrls ? 'url' : 'inputs', detail: 'is missing' });
  }
  return singleInput('url', url);
}

/**
 * The run that a firing submits. A target of another kind gets its submission here.
 * @throws AppError temporarily_unavailable (target.type), invalid_request (sink)
 */
export function toRunSubmission(accountId: string, work: CronWork): RunSubmission {
  const { target, sink } = work;
  if (target.type === 'workflow') {
    throw new AppError('temporarily_unavailable', {
      field: 'target.type',
      detail: 'workflows do not exist yet, so that no cron can run one',
      hint: 'Use a target of type parser or api.',
      retryable: false,
    });
  }
  if (sink?.mode !== 'database') {
    throw new AppError('invalid_request', {
      field: 'sink',
      detail: `a cron with a ${target.type} target needs a sink of mode database`,
      hint: 'Create a database with POST /v1/databases and name it in sink.database.',
    });
  }
  return {
    accountId,
    origin: { type: 'cron', name: work.name },
    target,
    config: work.scrapeConfig,
    sink,
    keepPages: work.keepPages ?? undefined,
    inputs: (resolved) => readInputs(work, resolved),
    bounds: { maxInputs: MAX_CRON_INPUTS, maxCredits: work.maxCredits ?? undefined },
  };
}
