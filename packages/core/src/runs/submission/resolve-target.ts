import {
  AppError,
  describeIssue,
  findUnstorable,
  DEFAULT_PRICES,
  isApiId,
  PREBUILT_APIS,
  priceOf,
  UNSTORABLE,
  urlFault,
  usesBrowser,
  type ApiId,
  type ScrapeConfig,
  type Target,
} from '@gleaner/contracts';
import { checkSiteInput } from '@gleaner/extractors/sites';
import { batchQueue, type QueueName } from '@gleaner/queue';
import { readParser } from '../../parsers/get-parser.ts';
import { readVersionSchema } from '../../parsers/versions.ts';
import { mergeScrapeConfig } from '../tasks/merge-scrape-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { requireProxyTier } from './require-proxy-tier.ts';
import type { SubmitServices } from './run-services.ts';

/** An input as a task stores it, on one line; or why it is invalid. */
export type CheckedInput = { line: string } | { fault: string };

/** A target as a run stores it, with the version, configuration and price of this moment. */
export interface ResolvedTarget {
  target: TaskTarget;
  config: ScrapeConfig;
  /** Credits of one success. */
  price: number;
  queue: QueueName;
  /** True: inputs are URLs. False: objects of parameters. */
  takesUrls: boolean;
  check: (input: unknown) => CheckedInput;
}

function checkUrl(text: string): CheckedInput {
  // A URL parser drops these characters (https://url.spec.whatwg.org/#concept-basic-url-parser). A task's input is one line.
  const line = /[\t\n\r]|^[\0-\x20]|[\0-\x20]$/.test(text) ? text.replaceAll(/[\t\n\r]/g, '').trim() : text;
  if (line === '') return { fault: 'is empty' };
  if (findUnstorable(line) !== undefined) return { fault: UNSTORABLE };
  const fault = urlFault(line);
  return fault === null ? { line } : { fault };
}

function checkUrlInput(input: unknown): CheckedInput {
  if (typeof input === 'string') return checkUrl(input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { fault: 'must be a URL' };
  const { url, ...others } = input as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return { fault: `${unknown} is not a known field` };
  return typeof url === 'string' ? checkUrl(url) : { fault: 'url is missing' };
}

/** A prebuilt API decides itself how it fetches, at a fixed price: only these fields apply to it. */
const API_CONFIG: ReadonlySet<string> = new Set<keyof ScrapeConfig>(['retries', 'timeoutSeconds']);

function requireApiConfig(config: ScrapeConfig): void {
  const foreign = Object.keys(config).find((name) => !API_CONFIG.has(name));
  if (foreign === undefined) return;
  throw new AppError('invalid_request', {
    field: `scrape_config.${foreign}`,
    detail: `does not apply to a prebuilt API; ${[...API_CONFIG].join(' and ')} do`,
  });
}

function checkParameters(services: SubmitServices, id: ApiId, input: unknown): CheckedInput {
  const parsed = PREBUILT_APIS[id].input.safeParse(input);
  if (!parsed.success) {
    const [fault] = parsed.error.issues.map((issue) => describeIssue(issue, input));
    return { fault: `${fault?.field ?? ''} ${fault?.detail ?? 'is wrong'}`.trim() };
  }
  const unstorable = findUnstorable(parsed.data);
  if (unstorable !== undefined) return { fault: `${unstorable} ${UNSTORABLE}` };
  const fault = checkSiteInput(id, parsed.data, services.config.sites);
  if (fault) return { fault: `${fault.field ?? ''} ${fault.detail ?? ''}`.trim() };
  return { line: JSON.stringify(parsed.data) };
}

function resolveApi(services: SubmitServices, id: string, config: ScrapeConfig): ResolvedTarget {
  if (!isApiId(id)) throw new AppError('not_found', { field: 'target.id', detail: `there is no API ${id}` });
  requireApiConfig(config);
  return {
    target: { type: 'api', id },
    config,
    price: PREBUILT_APIS[id].credits,
    queue: batchQueue('http'),
    takesUrls: false,
    check: (input) => checkParameters(services, id, input),
  };
}

async function resolveParser(
  services: SubmitServices,
  accountId: string,
  { parserId, version }: Extract<Target, { type: 'parser' }>,
  config: ScrapeConfig | undefined,
): Promise<ResolvedTarget> {
  const { orm } = services.db;
  const parser = await readParser(orm, accountId, parserId, 'target.parserId');
  if (version !== undefined && version !== parser.version) {
    await readVersionSchema(orm, parser.id, version, 'target.version');
  }
  const merged = mergeScrapeConfig(parser.scrape_config, config);
  requireProxyTier(services.config, merged);
  return {
    target: { type: 'parser', parserId: parser.id, version: version ?? parser.version },
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
  services: SubmitServices,
  accountId: string,
  target: Target,
  config: ScrapeConfig | undefined,
): Promise<ResolvedTarget> {
  return target.type === 'api'
    ? resolveApi(services, target.id, config ?? {})
    : resolveParser(services, accountId, target, config);
}
