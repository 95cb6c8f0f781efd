import type { Carry, KeepPages, ScrapeConfig, Sink, Target } from '@gleaner/contracts';
import type { RunSource } from './run-source.ts';
import type { ResolvedTarget } from './resolve-target.ts';
import type { RunBounds, RunInputs } from './run-inputs.ts';
import type { RunAuthor, RunOrigin } from './run-origin.ts';

/** Everything that a producer of runs decides. */
export interface RunSubmission {
  accountId: string;
  origin: RunOrigin;
  by?: RunAuthor | undefined;
  /** A parser without `version` runs the version that is current now. */
  target: Target;
  /** Overrides the parser's own configuration, field by field. */
  config?: ScrapeConfig | undefined;
  /** Default: results are kept for the API to return. */
  sink?: Sink | undefined;
  /** Values of the inputs to keep. Default: none. */
  carry?: Carry | undefined;
  /** Default: `failed`. */
  keepPages?: KeepPages | undefined;
  /** Its tasks read kept pages, at price 0. */
  isReparse?: boolean | undefined;
  /** A URL that receives the event of the run's end, in addition to the account's webhooks. */
  webhookUrl?: string | undefined;
  /** Called once, when the target is known. A parser takes URLs, a prebuilt API takes objects of parameters. */
  inputs: (target: ResolvedTarget) => RunInputs;
  /** What gives the inputs when the run has been created; `inputs` then has none (`sourcedInputs`). */
  source?: RunSource | undefined;
  bounds: RunBounds;
  /** Ends the reading of inputs early, for example when the client disconnected. */
  signal?: AbortSignal | undefined;
}
