import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { operationQuery } from '../api/call.ts';
import { shortUrl } from '../format/format.ts';
import { Id, When } from '../parts/page.tsx';
import { runPlace } from './run-place.ts';
import type { BatchTab } from './search.ts';

interface RunLinkProps {
  id: string;
  tab?: BatchTab;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** Leads to the page of a run; only its text where the run has no page. */
export function RunLink({ id, tab, children, ...link }: RunLinkProps) {
  const place = runPlace(id, tab);
  if (place === undefined) return <>{children}</>;
  return (
    <Link {...place} {...link}>
      {children}
    </Link>
  );
}

const NAMED = { staleTime: 60_000, retry: false };

/** The names of an account's latest runs by their identifiers; earlier ones have no name here. */
function useRunName(id: string): ReactNode {
  const isBatch = id.startsWith('bat_');
  const few = { query: { limit: 100 } };
  const batches = useQuery({ ...operationQuery('listBatches', few), ...NAMED, enabled: isBatch });
  const jobs = useQuery({ ...operationQuery('listJobs', few), ...NAMED, enabled: id.startsWith('job_') });
  if (!isBatch) {
    const url = jobs.data?.jobs.find((one) => one.id === id)?.url;
    return url === undefined || url === null ? undefined : shortUrl(url);
  }
  const batch = batches.data?.batches.find((one) => one.id === id);
  if (batch === undefined || batch.name !== null) return batch?.name ?? undefined;
  return (
    <>
      Batch of <When at={batch.created_at} isName />
    </>
  );
}

/** A run by its name, which leads to its page; its short identifier when the name is not known. */
export function NamedRun({ id }: { id: string }) {
  const name = useRunName(id);
  return <RunLink id={id}>{name === undefined ? <Id id={id} /> : <span title={id}>{name}</span>}</RunLink>;
}
