import type { Config } from '../../platform/config/load-config.ts';
import type { Context, Services } from '../../platform/context.ts';
import type { ExternalDatabases } from '../../storage/databases/external-databases.ts';
import type { ProxyConfig } from './require-proxy-tier.ts';
import type { ResolvedTarget } from './resolve-target.ts';
import type { ParserCache } from '../../parsers/parser-cache.ts';

/** What submitting a run needs. The API builds it, and so can the scheduler: nothing here serves requests. */
export interface SubmitServices extends Pick<Services, 'db' | 'queue' | 'log'> {
  config: Pick<Config, 'prices' | 'sites'> & ProxyConfig;
  /** Shows before the run exists that its sink can be written. */
  external: ExternalDatabases;
  parsers: ParserCache;
  /**
   * For a producer that submits several runs of an account at once: those with equal target, configuration and sink are
   * resolved once. To be used for moments only.
   */
  resolved?: Map<string, Promise<ResolvedTarget>>;
}

/** What an operation that submits runs finds in its context. */
export interface RunServices extends Services {
  external: ExternalDatabases;
  parsers: ParserCache;
}

/** The services of one call, whose log lines carry the call's request id. */
export function submitServicesOf(ctx: Context<RunServices>): SubmitServices {
  return { ...ctx.services, log: ctx.log };
}
