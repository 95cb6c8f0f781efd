import { AppError, LAST_RUN, type InputSource, type SourceField } from '@gleaner/contracts';
import type { ResolvedTarget } from './resolve-target.ts';
import { listInputs, type RunInputs } from './run-inputs.ts';

/** A sitemap or a feed that gives a run its inputs. */
export interface RunSource {
  kind: InputSource;
  url: string;
  /** `last_run`, or ISO 8601: the entries that are dated later. Null: all. */
  since: string | null;
  /** `crons.no`, for `last_run`. */
  cronNo: string | null;
}

/** @throws AppError invalid_request (since): without a source */
export function readRunSource(
  source: SourceField | null | undefined,
  since: string | null | undefined,
  cronNo: string | null = null,
): RunSource | undefined {
  if (source === null || source === undefined) {
    if (since === null || since === undefined) return undefined;
    throw new AppError('invalid_request', { field: 'since', detail: 'applies to a source' });
  }
  const { sitemap, feed } = source;
  return {
    kind: sitemap === undefined ? 'feed' : 'sitemap',
    url: sitemap ?? feed ?? '',
    since: since ?? null,
    cronNo: since === LAST_RUN ? cronNo : null,
  };
}

/**
 * The inputs of a run with a source: none yet.
 * @throws AppError invalid_request: the target takes no addresses, or there are other inputs too
 */
export function sourcedInputs({ takesUrls }: Pick<ResolvedTarget, 'takesUrls'>, others: object): RunInputs {
  const other = Object.entries(others).find(([, value]) => value !== null && value !== undefined)?.[0];
  if (other !== undefined) {
    throw new AppError('invalid_request', { field: 'source', detail: `give source or ${other}, not both` });
  }
  if (!takesUrls) {
    throw new AppError('invalid_request', {
      field: 'source',
      detail: 'gives addresses, and a prebuilt API takes inputs',
      hint: 'Use a parser.',
    });
  }
  return listInputs('source', []);
}

/** @throws AppError invalid_request (dry_run): what a source holds is known when it was read */
export function refuseDryRun(source: RunSource | undefined): void {
  if (source === undefined) return;
  throw new AppError('invalid_request', {
    field: 'dry_run',
    detail: 'can’t be combined with source, which is read when the run begins',
    hint: 'List the addresses of a sitemap with POST /v1/crawls/map; it is free with crawl.sources.links: false.',
  });
}
