import {
  AppError,
  PAGE_PARSER,
  isApiId,
  PREBUILT_APIS,
  type ScrapeConfig,
  type Target,
  type Way,
} from '@gleaner/contracts';
import { batchQueue, type QueueName } from '@gleaner/queue';
import { PAGE_TARGET } from '../../parsers/page-parser.ts';
import { readWholeParser } from '../../parsers/read-parsers.ts';
import { readVersionSchema } from '../../parsers/versions.ts';
import { mergeScrapeConfig, dearestOf, planWays } from './plan-ways.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { checkParameters, checkUrlInput, type CheckedInput } from '../tasks/check-input.ts';
import { WAYS_LEVEL } from '../tasks/work-level.ts';
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
  /** Credits of one success, at the dearest. */
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

/** What a run stores of the ways of its pages. */
export function fetchedBy(
  config: RunConfig,
  ways: readonly [Way, ...Way[]],
): Pick<ResolvedTarget, 'config' | 'price' | 'queue'> {
  const needs = Math.max(config.needs ?? 0, WAYS_LEVEL);
  const isPaced = config.hostDelaySeconds !== undefined || config.hostConcurrency !== undefined;
  return {
    config: ways.length > 1 || isPaced ? { ...config, needs, ...(ways.length > 1 ? { ways } : {}) } : config,
    price: dearestOf(ways),
    queue: batchQueue(ways[0].useBrowser ? 'browser' : 'http'),
  };
}

async function resolveParser(
  services: TargetServices,
  accountId: string,
  { parserId, version }: Extract<Target, { type: 'parser' }>,
  config: ScrapeConfig | undefined,
): Promise<ResolvedTarget> {
  const parser = await readWholeParser(services, accountId, parserId, 'target.parserId');
  const merged = mergeScrapeConfig(parser.scrape_config, config);
  const isOther = version != null && version !== parser.version;
  const schema =
    isOther || (merged.escalate !== undefined && parserId !== PAGE_PARSER)
      ? await readVersionSchema(services.db.orm, parser.id, version ?? parser.version, 'target.version')
      : undefined;
  return {
    target:
      parserId === PAGE_PARSER
        ? PAGE_TARGET
        : { type: 'parser', parserId, version: version ?? parser.version },
    ...fetchedBy(merged, planWays(services.config, merged, { schema })),
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
