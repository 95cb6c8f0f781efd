import type { KeepPages, ScrapeConfig, Sink, Target } from '@gleaner/contracts';
import type { ResolvedTarget } from './resolve-target.ts';
import type { RunInputs } from './run-inputs.ts';
import type { RunOrigin } from './run-origin.ts';

/**
 * Limits of one run. The limit on unfinished tasks belongs to the account (`accounts.pending_limit`) and applies to
 * every run, whoever submits it.
 */
export interface RunBounds {
  /** Keep only the first of equal inputs. Default: keep all. */
  dedupe?: boolean | undefined;
  /** More inputs than this are refused. Duplicates that `dedupe` drops don't count. */
  maxInputs: number;
  /** Most credits that the run may ever charge. Default: the price of all inputs. */
  maxCredits?: number | undefined;
}

/** Everything that a producer of runs decides. */
export interface RunSubmission {
  accountId: string;
  origin: RunOrigin;
  /** A parser without `version` runs the version that is current now. */
  target: Target;
  /** Wins field by field over the parser's own configuration. */
  config?: ScrapeConfig | undefined;
  /** Default: results are kept for the API to return. */
  sink?: Sink | undefined;
  /** Default: `failed`. */
  keepPages?: KeepPages | undefined;
  /** Its tasks read kept pages, at price 0. */
  isReparse?: boolean | undefined;
  /** Receives the event of the run's end, beside the account's webhooks. */
  webhookUrl?: string | undefined;
  /** Called once, when the target is known: a parser takes URLs, a prebuilt API takes objects of parameters. */
  inputs: (target: ResolvedTarget) => RunInputs;
  bounds: RunBounds;
  /** Ends the reading of inputs early, for example because the client has gone. */
  signal?: AbortSignal | undefined;
}
