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
  type ScrapeConfig,
  type Target,
} from '@gleaner/contracts';
import { checkSiteInput } from '@gleaner/extractors/sites';
import { batchQueue, type QueueName } from '@gleaner/queue';
import type { Context } from '../../platform/context.ts';
import { readParser } from '../../parsers/get-parser.ts';
import { mergeScrapeConfig } from '../tasks/merge-scrape-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

/** An input as a task keeps it, on one line; or why it is none. */
export type CheckedInput = { line: string } | { fault: string };

/** A target as a run keeps it: version, configuration and price are those of the moment of creation. */
export interface ResolvedTarget {
  target: TaskTarget;
  config: ScrapeConfig;
  /** Credits of one success. */
  price: number;
  queue: QueueName;
  /** Inputs are URLs, else objects of parameters. */
  takesUrls: boolean;
  check: (input: unknown) => CheckedInput;
}

function checkUrl(text: string): CheckedInput {
  // What a URL parser would leave out (https://url.spec.whatwg.org/#concept-basic-url-parser); a task's input is one line.
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

/** How a prebuilt API fetches is its own affair: its price is fixed, and its requests are made for the site. */
const API_CONFIG: ReadonlySet<string> = new Set<keyof ScrapeConfig>(['retries', 'timeoutSeconds']);

function requireApiConfig(config: ScrapeConfig): void {
  const foreign = Object.keys(config).find((name) => !API_CONFIG.has(name));
  if (foreign === undefined) return;
  throw new AppError('invalid_request', {
    field: `scrape_config.${foreign}`,
    detail: `does not apply to a prebuilt API; ${[...API_CONFIG].join(' and ')} do`,
  });
}

/** @throws AppError not_found with field target.parserId or target.id; invalid_request with field scrape_config */
export async function resolveTarget(
  ctx: Context,
  target: Target,
  config: ScrapeConfig | undefined,
): Promise<ResolvedTarget> {
  const { services } = ctx;
  if (target.type === 'api') {
    const { id } = target;
    if (!isApiId(id))
      throw new AppError('not_found', { field: 'target.id', detail: `there is no API ${id}` });
    requireApiConfig(config ?? {});
    const api = PREBUILT_APIS[id];
    return {
      target: { type: 'api', id },
      config: config ?? {},
      price: api.credits,
      queue: batchQueue('http'),
      takesUrls: false,
      check: (input) => {
        const parsed = api.input.safeParse(input);
        if (!parsed.success) {
          const [fault] = parsed.error.issues.map(describeIssue);
          return { fault: `${fault?.field ?? ''} ${fault?.detail ?? 'is wrong'}`.trim() };
        }
        const line = JSON.stringify(parsed.data);
        const unstorable = findUnstorable(parsed.data);
        if (unstorable !== undefined) return { fault: `${unstorable} ${UNSTORABLE}` };
        const fault = checkSiteInput(id, parsed.data, services.config.sites);
        return fault ? { fault: `${fault.field ?? ''} ${fault.detail ?? ''}`.trim() } : { line };
      },
    };
  }
  const parser = await readParser(services.db.orm, ctx.accountId, target.parserId, 'target.parserId');
  const merged = mergeScrapeConfig(parser.scrape_config, config);
  return {
    target: { type: 'parser', parserId: parser.id, version: parser.version },
    config: merged,
    price: priceOf(merged, { ...DEFAULT_PRICES, ...services.config.prices }),
    queue: batchQueue(usesBrowser(merged) ? 'browser' : 'http'),
    takesUrls: true,
    check: checkUrlInput,
  };
}
