import { useMutation, useQuery, useInfiniteQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { call, client as api, operationQuery, listQuery } from '../api/call.ts';
import { formatNumber, plural, formatExact, formatMoment } from '../format/format.ts';
import { Page, Failure, Loaded } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { LiveActions, LiveProgress } from '../runs/live-run.tsx';
import { SourceNotice } from '../runs/source-notice.tsx';
import { RootRunState, useRootRun } from './root-run.tsx';
import { readWorkflowRunSearch } from './search.ts';
import { WorkflowAlarm } from './workflow-alarm.tsx';
import { StageGraph } from './stage-graph.tsx';
import { hasTarget, pauseText, stagesOfRun, type WorkflowRun, type Stage } from './stages.ts';
import { advicesOf } from '../runs/causes.ts';
import { WaitingNotice } from '../runs/waiting-notice.tsx';
import { Failures } from '../runs/failed-pages.tsx';

interface StageFailuresProps {
  run: WorkflowRun;
  /** The stages of the workflow, whose parsers the studio can open. */
  stages: readonly Stage[];
  /** Of this stage alone. */
  stage: string | undefined;
  /** The failed input that the address names. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
}

/** Failed inputs of a run of a workflow, or of one of its stages. */
function StageFailures({ run, stages, stage, open, onOpen }: StageFailuresProps) {
  const { id } = run;
  const query = useInfiniteQuery(
    listQuery('getWorkflowRunFailures', { params: { id }, query: { stage } }, run.counts.failed),
  );
  const parserOf = (name: string | undefined): string | undefined => {
    const found = stages.find((one) => one.name === name);
    return hasTarget(found) && found.target.type === 'parser' ? found.target.parserId : undefined;
  };
  return (
    <Failures query={query} open={open} onOpen={onOpen} parserOf={(failure) => parserOf(failure.stage)}>
      {(failures) =>
        advicesOf(failures).map(({ error, advice }) => (
          <div key={`${error} ${advice}`} className="notice bad">
            <div>
              <strong>{error}</strong>
              <div>{advice}</div>
            </div>
          </div>
        ))
      }
    </Failures>
  );
}

/** The stages of a run with live counts, and the failures of the selected one. */
function RunStages({ run }: { run: WorkflowRun }) {
  const { stage, failure } = useSearch({ from: '/app/workflow-runs/$runId' });
  const navigate = useNavigate({ from: '/workflow-runs/$runId' });
  const workflow = useQuery({
    ...operationQuery('getWorkflow', { params: { id: run.workflow_id ?? '' } }),
    enabled: run.workflow_id !== null,
    retry: false,
  });
  const stages = stagesOfRun(run, workflow.data?.stages);
  const selected = stages.findIndex(({ name }) => name === stage);
  return (
    <>
      <WorkflowAlarm stages={stages} until={run.finished_at} />
      {/* Until then it is not known what its stages run. */}
      {!workflow.isLoading && (
        <StageGraph
          stages={stages}
          states={run.stages}
          selected={selected === -1 ? undefined : selected}
          onSelect={(index) =>
            void navigate({ search: index === selected ? {} : { stage: stages[index]?.name }, replace: true })
          }
        />
      )}
      <section aria-label="Failures" className="stack">
        <h2>
          Failures {stage === undefined ? '' : `of ${stage}`}{' '}
          <span className="soft">{formatNumber(run.counts.failed)}</span>
        </h2>
        <StageFailures
          run={run}
          stages={stages}
          stage={stage}
          open={failure}
          onOpen={(opened) => void navigate({ search: readWorkflowRunSearch({ stage, failure: opened }) })}
        />
      </section>
    </>
  );
}

/** The workflow of a run; a crawl has none. */
function WorkflowName({ run: { workflow_id: workflowId, kind, name } }: { run: WorkflowRun }) {
  if (workflowId === null) return <>{name ?? kind}</>;
  return (
    <Link to="/workflows/$workflowId" params={{ workflowId }}>
      {name ?? 'workflow'}
    </Link>
  );
}

/** A run of a workflow: its stages with live counts, its failures, and the ways to end or repeat it. */
export function WorkflowRunPage() {
  const { runId } = useParams({ from: '/app/workflow-runs/$runId' });
  const { query, show } = useRootRun('getWorkflowRun', api.workflowRuns.waitFor, runId);
  const retry = useMutation({
    mutationFn: () => call('retryWorkflowRun', { params: { id: runId } }),
    onSuccess: show,
  });
  const run = query.data;
  // Lists of runs don't know which of them crawl.
  if (run !== undefined && run.kind !== 'workflow')
    return <Navigate to="/crawls/$runId" params={{ runId }} replace />;
  return (
    <Page
      title={run === undefined ? 'Run' : `Run of ${formatMoment(run.created_at)}`}
      hint={run && formatExact(run.created_at)}
      crumbs={[<Link to="/workflows">Workflows</Link>, ...(run ? [<WorkflowName run={run} />] : [])]}
      aside={run && <RootRunState run={run} />}
      padded
      actions={
        run && (
          <LiveActions
            run={run}
            what="run"
            onRetry={() => retry.mutate()}
            isRetrying={retry.isPending}
            cancel={async () => show(await call('cancelWorkflowRun', { params: { id: runId } }))}
          >
            All stages stop. Results so far stay, and reserved credits are released at once.
          </LiveActions>
        )
      }
    >
      <Loaded query={query} what="the run">
        {(loaded) => (
          <div className="stack loose">
            <LiveProgress counts={loaded.counts} done={loaded.counts.succeeded}>
              {plural(loaded.credits.used, 'credit')} used · started <When at={loaded.created_at} />
            </LiveProgress>
            <SourceNotice source={loaded.source} since={loaded.since} />
            {loaded.paused !== null && (
              <div className="notice" role="status">
                {pauseText(loaded.paused.reason)}
              </div>
            )}
            <WaitingNotice waiting={loaded.waiting} />
            <Failure error={retry.error} />
            <RunStages run={loaded} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}
