import { linkOptions } from '@tanstack/react-router';
import type { BatchTab } from './search.ts';

/**
 * The page of a run, by the prefix of its identifier. Undefined for what has no page, such as a scrape.
 * @param tab the opened tab, for a batch
 */
export function runPlace(id: string, tab?: BatchTab) {
  if (id.startsWith('bat_'))
    return linkOptions({
      to: '/runs/batches/$batchId',
      params: { batchId: id },
      search: tab === undefined ? {} : { tab },
    });
  if (id.startsWith('job_')) return linkOptions({ to: '/runs/jobs/$jobId', params: { jobId: id } });
  if (id.startsWith('run_')) return linkOptions({ to: '/workflow-runs/$runId', params: { runId: id } });
  return undefined;
}
