import type { Context, Services } from '../../platform/context.ts';
import type { ExternalDatabases } from '../../storage/external/external-databases.ts';
import type { ResolvedTarget, TargetServices } from './resolve-target.ts';
import type { ParserCache } from '../../parsers/parser-cache.ts';

/** The services for submitting a run. The scheduler can build them too, because they don't serve requests. */
export interface SubmitServices extends TargetServices, Pick<Services, 'queue' | 'log'> {
  /** Checks before the run exists that its sink can be written. */
  external: ExternalDatabases;
  parsers: ParserCache;
  /**
   * For a producer that submits several runs of an account together: equal targets, configurations and sinks are resolved
   * once. Keep it only for a short time.
   */
  resolved?: Map<string, Promise<ResolvedTarget>>;
}

/** The services in the context of operations that submit runs. */
export interface RunServices extends Services {
  external: ExternalDatabases;
  parsers: ParserCache;
}

/** The services of one call. Their log lines contain the call's request id. */
export function submitServicesOf(ctx: Context<RunServices>): SubmitServices {
  return { ...ctx.services, log: ctx.log };
}
