import { hasEnded } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, client as api } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { useWatched } from '../api/use-watched.ts';
import { formatNumber, plural } from '../format/number.ts';
import { formatExact, formatMoment } from '../format/time.ts';
import { Confirm } from '../parts/confirm.tsx';
import { IconPlayerStop, IconRefresh } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { RunStatus, Status, When } from '../parts/values.tsx';
import { Progress } from '../runs/progress.tsx';
import { readWorkflowRunSearch } from './search.ts';
import { StageFailures } from './stage-failures.tsx';
import { StageGraph } from './stage-graph.tsx';
import type { Stage, WorkflowRun } from './stages.ts';
import { useTargetName } from './use-target-name.ts';

const PAUSES: Record<string, string> = {
  'insufficient credits':
    'The account has too few credits. The run goes on by itself when there are some, and ends without them after 24 hours.',
  'pending limit': 'The account has as many unfinished tasks as it may. The run goes on as others end.',
  'limits.credits': 'The run has spent what its workflow allows.',
};

/** Stages of a run after its workflow was deleted: only their names are known. */
function bareStages(run: WorkflowRun): Stage[] {
  return run.stages.map(({ name }) => ({ name, target: { type: 'api', id: 'no longer known' } }));
}

/** A run of a workflow: its stages with live counts, its failures, and the ways to end or repeat it. */
export function WorkflowRunPage() {
  const { runId } = useParams({ from: '/app/workflow-runs/$runId' });
  const { stage, failure } = useSearch({ from: '/app/workflow-runs/$runId' });
  const navigate = useNavigate({ from: '/workflow-runs/$runId' });
  const client = useQueryClient();
  const [isCancelling, setCancelling] = useState(false);
  const options = operationQuery('getWorkflowRun', { params: { id: runId } });
  const query = useQuery(options);
  const run = query.data;
  const isLive = run !== undefined && !hasEnded(run.status);
  useWatched(
    runId,
    isLive,
    (signal) => api.workflowRuns.watch(runId, { signal }),
    (next) => {
      client.setQueryData(options.queryKey, next);
      return !hasEnded(next.status);
    },
  );
  const workflow = useQuery({
    ...operationQuery('getWorkflow', { params: { id: run?.workflow_id ?? '' } }),
    enabled: run !== undefined,
    retry: false,
  });
  const targetName = useTargetName();
  const retry = useMutation({
    mutationFn: () => call('retryWorkflowRun', { params: { id: runId } }),
    onSuccess: (next) => client.setQueryData(options.queryKey, next),
  });
  const names = run?.stages.map(({ name }) => name);
  const known = workflow.data?.stages.filter(({ name }) => names?.includes(name) === true) ?? [];
  const stages = run === undefined ? [] : known.length === run.stages.length ? known : bareStages(run);
  const chosen = stages.findIndex(({ name }) => name === stage);
  return (
    <Page
      title={run === undefined ? 'Run' : `Run of ${formatMoment(run.created_at)}`}
      hint={run && formatExact(run.created_at)}
      crumbs={
        <>
          <Link to="/workflows">Workflows</Link>
          <span aria-hidden>/</span>
          {run && (
            <Link to="/workflows/$workflowId" params={{ workflowId: run.workflow_id }}>
              {run.name ?? 'workflow'}
            </Link>
          )}
        </>
      }
      aside={
        run &&
        (run.paused ? (
          <Status status={run.status} word="paused" />
        ) : (
          <RunStatus status={run.status} failed={run.counts.failed} />
        ))
      }
      padded
      actions={
        run && (
          <>
            {run.counts.failed > 0 && run.status !== 'cancelled' && (
              <Button
                variant="default"
                leftSection={<IconRefresh size={14} />}
                disabled={!hasEnded(run.status)}
                loading={retry.isPending}
                onClick={() => retry.mutate()}
              >
                Retry {formatNumber(run.counts.failed)} failed
              </Button>
            )}
            {!hasEnded(run.status) && (
              <Button
                variant="default"
                leftSection={<IconPlayerStop size={14} />}
                onClick={() => setCancelling(true)}
              >
                Cancel
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query} what="the run">
        {(loaded) => (
          <div className="stack" style={{ gap: 18 }}>
            <section aria-label="Progress">
              <div className="row" style={{ marginBottom: 6 }}>
                <strong>
                  {formatNumber(loaded.counts.succeeded)} of {formatNumber(loaded.counts.total)}
                </strong>
                <span className="soft">
                  {plural(loaded.credits.used, 'credit')} used · started <When at={loaded.created_at} />
                </span>
              </div>
              <Progress {...loaded.counts} />
            </section>
            {loaded.paused !== null && (
              <div className="notice" role="status">
                {PAUSES[loaded.paused.reason] ?? `It waits: ${loaded.paused.reason}.`}
              </div>
            )}
            {retry.error !== null && <Failure error={retry.error} />}
            {/* Its first layout decides what is in view, so it waits for the names of the stages. */}
            {!workflow.isPending && (
              <StageGraph
                stages={stages}
                states={loaded.stages}
                targetName={targetName}
                selected={chosen === -1 ? undefined : chosen}
                onSelect={(index) =>
                  void navigate({
                    search: index === chosen ? {} : { stage: stages[index]?.name },
                    replace: true,
                  })
                }
              />
            )}
            <section aria-label="Failures" className="stack">
              <h2>
                Failures {stage === undefined ? '' : `of ${stage}`}{' '}
                <span className="soft">{formatNumber(loaded.counts.failed)}</span>
              </h2>
              <StageFailures
                run={loaded}
                stages={stages}
                stage={stage}
                open={failure}
                onOpen={(opened) =>
                  void navigate({ search: readWorkflowRunSearch({ stage, failure: opened }) })
                }
              />
            </section>
          </div>
        )}
      </Loaded>
      <Confirm
        opened={isCancelling}
        onClose={() => setCancelling(false)}
        title="Cancel this run"
        action="Cancel run"
        run={async () => {
          client.setQueryData(options.queryKey, await call('cancelWorkflowRun', { params: { id: runId } }));
        }}
      >
        All stages end. What has succeeded stays, and reserved credits are given back at once.
      </Confirm>
    </Page>
  );
}
