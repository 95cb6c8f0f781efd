import { Link, linkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallOutput } from '../api/call.ts';
import { useNamed, type Named } from '../api/names.ts';
import { shortUrl } from '../format/format.ts';
import { Id, RunStatus, Status } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { isWaiting } from './run-row.ts';
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

/** What a run is called: of a job its page, of a batch without a name when it began. */
function RunName({ named }: { named: Named }) {
  const { id, name, created_at: at } = named;
  if (name !== null) return <>{id.startsWith('job_') ? shortUrl(name) : name}</>;
  return (
    <>
      Batch of <When at={at} isName />
    </>
  );
}

/**
 * A run by its name, which leads to its page; its short identifier when nothing has it.
 * @param id of a stage it has the stage too: `run_…/details`
 */
export function NamedRun({ id }: { id: string }) {
  const [root = '', stage] = id.split('/');
  const named = useNamed(root);
  return (
    <RunLink id={root}>
      {named ? (
        <span title={id}>
          <RunName named={named} />
          {stage !== undefined && ` / ${stage}`}
        </span>
      ) : (
        <Id id={id} />
      )}
    </RunLink>
  );
}

/** The state of a run of a workflow; one that waits for credits is paused. */
export function RootRunState({ run }: { run: CallOutput<'getWorkflowRun'> }) {
  if (run.paused !== null) return <Status status={run.status} word="paused" />;
  return (
    <RunStatus status={run.status} failed={run.counts.failed} held={run.held} isWaiting={isWaiting(run)} />
  );
}
