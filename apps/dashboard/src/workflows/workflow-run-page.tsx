import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { useQuery, useInfiniteQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { call, client, operationQuery, listQuery } from '../api/call.ts';
import { formatNumber, plural, formatExact, formatMoment } from '../format/format.ts';
import { When } from '../parts/when.tsx';
import { RootRunState } from '../runs/run-link.tsx';
import { RunPage, useLiveRun } from '../runs/run-page.tsx';
import { readWorkflowRunSearch } from './search.ts';
import { StageGraph } from './stage-graph.tsx';
import { hasTarget, parsersOf, stagesOfRun, type WorkflowRun, type Stage } from './stages.ts';
import { advicesOf } from '../runs/causes.ts';
import { Failures, type FailuresProps } from '../runs/failed-pages.tsx';

interface StageFailuresProps extends Pick<FailuresProps<never>, 'open' | 'onOpen'> {
  run: WorkflowRun;
  /** The stages of the workflow, whose parsers the studio can open. */
  stages: readonly Stage[];
  /** Of this stage alone. */
  stage: string | undefined;
}

/** Failed inputs of a run of a workflow, or of one of its stages. */
function StageFailures({ run: { id, counts }, stages, stage, ...opened }: StageFailuresProps) {
  const query = useInfiniteQuery(
    listQuery('getWorkflowRunFailures', { params: { id }, query: { stage } }, counts.failed),
  );
  const parserOf = (name: string | undefined): string | undefined => {
    const found = stages.find((one) => one.name === name);
    return hasTarget(found) && found.target.type === 'parser' ? found.target.parserId : undefined;
  };
  return (
    <Failures query={query} {...opened} parserOf={(failure) => parserOf(failure.stage)}>
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
      <AlarmBadge parserId={parsersOf(stages)} until={run.finished_at} />
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
  const { query, show } = useLiveRun('getWorkflowRun', client.workflowRuns.waitFor, runId);
  const params = { id: runId };
  const run = query.data;
  // Lists of runs don't know which of them crawl.
  if (run !== undefined && run.kind !== 'workflow')
    return <Navigate to="/crawls/$runId" params={{ runId }} replace />;
  return (
    <RunPage
      query={query}
      kind="run"
      title={run && `Run of ${formatMoment(run.created_at)}`}
      hint={run && formatExact(run.created_at)}
      crumbs={[<Link to="/workflows">Workflows</Link>, ...(run ? [<WorkflowName run={run} />] : [])]}
      aside={run && <RootRunState run={run} />}
      retry={async () => show(await call('retryWorkflowRun', { params }))}
      cancel={async () => show(await call('cancelWorkflowRun', { params }))}
      cancelled="All stages stop. Results so far stay, and reserved credits are released at once."
      progress={(loaded) => (
        <>
          {plural(loaded.credits.used, 'credit')} used · started <When at={loaded.created_at} />
        </>
      )}
    >
      {(loaded) => <RunStages run={loaded} />}
    </RunPage>
  );
}
