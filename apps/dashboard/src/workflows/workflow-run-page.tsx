import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { call, client, operationQuery } from '../api/call.ts';
import { formatNumber, plural, formatExact, formatMoment } from '../format/format.ts';
import { When } from '../parts/when.tsx';
import { RootRunState } from '../runs/run-link.tsx';
import { RunPage, useLiveRun } from '../runs/run-page.tsx';
import { readWorkflowRunSearch } from './search.ts';
import { StageGraph } from './stage-graph.tsx';
import { RunPace } from '../charts/run-pace.tsx';
import { RunFailures } from './run-failures.tsx';
import { hasTarget, parsersOf, stagesOfRun, type WorkflowRun } from './stages.ts';
import { isLive } from '../runs/run-row.ts';
import { RunRows } from '../runs/run-rows.tsx';
import { stageWaysText } from '../runs/way-words.ts';

/** The rows of a stage that writes to a table. */
function StageRows({ stage, isLive: live }: { stage: WorkflowRun['stages'][number]; isLive: boolean }) {
  if (stage.mode !== 'database') return null;
  return (
    <section aria-label={`Rows of ${stage.name}`} className="stack">
      <h2>Rows of {stage.name}</h2>
      <RunRows
        runId={stage.run_id}
        sink={stage.sink}
        pages={stage.sink['rows'] === undefined ? stage.counts.succeeded : undefined}
        kept={stage.counts.rows_kept}
        isLive={live}
      />
    </section>
  );
}

/** The stages of a run with live counts, and the failures of the selected one. */
function RunStages({ run, onRetried }: { run: WorkflowRun; onRetried: (run: WorkflowRun) => void }) {
  const { stage, failure } = useSearch({ from: '/app/workflow-runs/$runId' });
  const navigate = useNavigate({ from: '/workflow-runs/$runId' });
  const workflow = useQuery({
    ...operationQuery('getWorkflow', { params: { id: run.workflow_id ?? '' } }),
    enabled: run.workflow_id !== null,
    retry: false,
  });
  const stages = stagesOfRun(run, workflow.data?.stages);
  const selected = stages.findIndex(({ name }) => name === stage);
  const parserOf = (name: string | undefined): string | undefined => {
    const found = stages.find((one) => one.name === name);
    return hasTarget(found) && found.target.type === 'parser' ? found.target.parserId : undefined;
  };
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
      {run.stages
        .filter(({ name }) => stage === undefined || name === stage)
        .map((one) => (
          <StageRows key={one.name} stage={one} isLive={isLive(run)} />
        ))}
      <RunPace runId={run.id} isLive={isLive(run)} />
      <section aria-label="Failures" className="stack">
        <h2>
          Failures {stage === undefined ? '' : `of ${stage}`}{' '}
          <span className="soft">{formatNumber(run.counts.failed)}</span>
        </h2>
        <RunFailures
          run={run}
          stage={stage}
          onRetried={onRetried}
          parserOf={(failure) => parserOf(failure.stage)}
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
          {stageWaysText(loaded)}
        </>
      )}
    >
      {(loaded) => <RunStages run={loaded} onRetried={show} />}
    </RunPage>
  );
}
