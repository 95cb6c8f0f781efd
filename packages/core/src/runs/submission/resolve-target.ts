import {
  AppError,
  DEFAULT_PRICES,
  PAGE_PARSER,
  isApiId,
  PREBUILT_APIS,
  priceOf,
  usesBrowser,
  type ScrapeConfig,
  type Target,
} from '@gleaner/contracts';
import { batchQueue, type QueueName } from '@gleaner/queue';
import { PAGE_TARGET } from '../../parsers/page-parser.ts';
import { readWholeParser } from '../../parsers/read-parsers.ts';
import { readVersionSchema } from '../../parsers/versions.ts';
import { mergeScrapeConfig } from '../tasks/merge-scrape-config.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import { requireBrowserFits } from '../tasks/require-browser.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { checkParameters, checkUrlInput, type CheckedInput } from '../tasks/check-input.ts';
import { requireProxyTier } from './require-proxy-tier.ts';
import type { Config, ProxyConfig } from '../../platform/config/load-config.ts';
import type { Services } from '../../platform/context.ts';

/** The services that read what a run scrapes: its parser or API, its configuration and its price. */
export interface TargetServices extends Pick<Services, 'db'> {
  config: Pick<Config, 'prices' | 'sites'> & ProxyConfig & Partial<Pick<Config, 'secretKey'>>;
}

/** The stored form of a target, with its current version, configuration and price. */
export interface ResolvedTarget {
  target: TaskTarget;
  config: RunConfig;
  /** Credits of one success. */
  price: number;
  queue: QueueName;
  /** True: inputs are URLs. False: objects of parameters. */
  takesUrls: boolean;
  check: (input: unknown) => CheckedInput;
}

/** The only fields that apply to a prebuilt API, which decides how to fetch and has a fixed price. */
const API_CONFIG: ReadonlySet<string> = new Set<keyof ScrapeConfig>(['retries', 'timeoutSeconds']);

function requireApiConfig(config: ScrapeConfig): void {
  const foreign = Object.keys(config).find((name) => !API_CONFIG.has(name));
  if (foreign === undefined) return;
  throw new AppError('invalid_request', {
    field: `scrape_config.${foreign}`,
    detail: `does not apply to a prebuilt API; ${[...API_CONFIG].join(' and ')} do`,
  });
}

function resolveApi(services: TargetServices, id: string, config: ScrapeConfig): ResolvedTarget {
  if (!isApiId(id)) throw new AppError('not_found', { field: 'target.id', detail: `there is no API ${id}` });
  requireApiConfig(config);
  return {
    target: { type: 'api', id },
    config,
    price: PREBUILT_APIS[id].credits,
    queue: batchQueue('http'),
    takesUrls: false,
    check: (input) => checkParameters(services.config.sites, id, input),
  };
}

async function resolveParser(
  services: TargetServices,
  accountId: string,
  { parserId, version }: Extract<Target, { type: 'parser' }>,
  config: ScrapeConfig | undefined,
): Promise<ResolvedTarget> {
  const parser = await readWholeParser(services, accountId, parserId, 'target.parserId');
  if (version != null && version !== parser.version) {
    await readVersionSchema(services.db.orm, parser.id, version, 'target.version');
  }
  const merged = mergeScrapeConfig(parser.scrape_config, config);
  requireBrowserFits(merged);
  requireProxyTier(services.config, merged);
  return {
    target:
      parserId === PAGE_PARSER
        ? PAGE_TARGET
        : { type: 'parser', parserId, version: version ?? parser.version },
    config: merged,
    price: priceOf(merged, { ...DEFAULT_PRICES, ...services.config.prices }),
    queue: batchQueue(usesBrowser(merged) ? 'browser' : 'http'),
    takesUrls: true,
    check: checkUrlInput,
  };
}

/**
 * @throws AppError not_found with field target.parserId, target.version or target.id; invalid_request with field
 * scrape_config
 */
export async function resolveTarget(
  services: TargetServices,
  accountId: string,
  target: Target,
  config: ScrapeConfig | undefined,
): Promise<ResolvedTarget> {
  return target.type === 'api'
    ? resolveApi(services, target.id, config ?? {})
    : resolveParser(services, accountId, target, config);
}
