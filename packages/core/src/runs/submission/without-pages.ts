import { batchQueue } from '@gleaner/queue';
import { checkUrlInput } from '../tasks/check-input.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import type { ResolvedTarget } from './resolve-target.ts';

/** What fetches no page: neither a price nor a browser. @param needs the least level of a worker */
export function withoutPages(
  target: ResolvedTarget['target'],
  config: RunConfig,
  needs: number,
): ResolvedTarget {
  return {
    target,
    config: { ...config, keepPages: 'none', needs },
    price: 0,
    queue: batchQueue('http'),
    takesUrls: true,
    check: checkUrlInput,
  };
}
