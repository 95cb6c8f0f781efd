import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operationQuery } from '../api/queries.ts';
import { shortUrl } from '../format/shorten.ts';
import { Id, When } from '../parts/values.tsx';

const NAMED = { staleTime: 60_000, retry: false };

/** The names of an account's latest runs by their identifiers; earlier ones have no name here. */
function useRunName(id: string): ReactNode {
  const isBatch = id.startsWith('bat_');
  const isJob = id.startsWith('job_');
  const batches = useQuery({
    ...operationQuery('listBatches', { query: { limit: 100 } }),
    ...NAMED,
    enabled: isBatch,
  });
  const jobs = useQuery({
    ...operationQuery('listJobs', { query: { limit: 100 } }),
    ...NAMED,
    enabled: isJob,
  });
  if (isBatch) {
    const batch = batches.data?.batches.find((one) => one.id === id);
    if (batch === undefined) return undefined;
    return (
      batch.name ?? (
        <>
          Batch of <When at={batch.created_at} isName />
        </>
      )
    );
  }
  const url = jobs.data?.jobs.find((one) => one.id === id)?.url;
  return url === undefined || url === null ? undefined : shortUrl(url);
}

/** A run by its name, which leads to its page; its short identifier when the name is not known. */
export function RunLink({ id }: { id: string }) {
  const name = useRunName(id);
  const shown = name === undefined ? <Id id={id} /> : <span title={id}>{name}</span>;
  if (id.startsWith('bat_'))
    return (
      <Link to="/runs/batches/$batchId" params={{ batchId: id }}>
        {shown}
      </Link>
    );
  if (id.startsWith('job_'))
    return (
      <Link to="/runs/jobs/$jobId" params={{ jobId: id }}>
        {shown}
      </Link>
    );
  if (id.startsWith('run_'))
    return (
      <Link to="/workflow-runs/$runId" params={{ runId: id }}>
        {shown}
      </Link>
    );
  return shown;
}
