import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { useQuery, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link, linkOptions, useNavigate, useParams } from '@tanstack/react-router';
import { call, operationQuery, listQuery, type CallOutput } from '../api/call.ts';
import { plural, formatNumber } from '../format/format.ts';
import { ActionButton, DeleteButton, OpenButton } from '../parts/buttons.tsx';
import { IconPencil, IconPlayerPlay } from '../parts/icons.ts';
import { Page, Loaded } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { StageGraph } from './stage-graph.tsx';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { FormDialog } from '../parts/form-dialog.tsx';
import { ColumnTicks } from '../runs/inputs-field.tsx';
import { readPasted } from '../runs/pasted-table.ts';
import { RootRunState } from '../runs/run-link.tsx';
import { SourceFields } from '../targets/source-fields.tsx';
import { lackOfSource, NO_SOURCE, sourceOfChoice } from '../targets/source.ts';
import { hasTarget, parsersOf, startInputs } from './stages.ts';

const LIVE_MS = 5_000;

type Run = CallOutput<'listRunsOfWorkflow'>['workflow_runs'][number];

const COLUMNS: readonly PlainColumn<Run>[] = [
  { header: 'State', cell: (run) => <RootRunState run={run} /> },
  {
    header: 'Run',
    cell: ({ id, created_at: at }) => (
      <Link to="/workflow-runs/$runId" params={{ runId: id }}>
        <When at={at} />
      </Link>
    ),
  },
  {
    header: 'Succeeded',
    align: 'right',
    cell: ({ counts }) => `${formatNumber(counts.succeeded)} / ${formatNumber(counts.total)}`,
  },
  {
    header: 'Failed',
    align: 'right',
    className: ({ counts }) => (counts.failed > 0 ? 'bad-text' : 'soft'),
    cell: ({ counts }) => formatNumber(counts.failed),
  },
  { header: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits.used) },
  { header: 'Version', align: 'right', className: 'soft', cell: (run) => run.workflow_version },
];

/** The last runs of a workflow. */
function RunTable({ workflowId }: { workflowId: string }) {
  const query = useInfiniteQuery({
    ...listQuery('listRunsOfWorkflow', { params: { id: workflowId }, query: {} }),
    refetchInterval: LIVE_MS,
  });
  return (
    <ReadPages
      query={query}
      what="the runs"
      rowsOf={(page) => page.workflow_runs}
      empty="It has not run yet."
      more={null}
    >
      {(runs) => (
        <PlainTable label="Runs of the workflow" rows={runs} rowKey={({ id }) => id} columns={COLUMNS} />
      )}
    </ReadPages>
  );
}

type Workflow = CallOutput<'getWorkflow'>;

/** Starts a workflow with the inputs of its first stage. */
function StartDialog({ workflow: { id, stages }, onClose }: { workflow: Workflow; onClose: () => void }) {
  const [first] = stages;
  // Objects of an API's parameters instead of addresses.
  const takesObjects = hasTarget(first) && first.target.type === 'api';
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [source, setSource] = useState(NO_SOURCE);
  const isList = source.from === 'list';
  const [settled] = useDebouncedValue(text, 400);
  const columns = useMemo(
    () => (takesObjects ? [] : (readPasted(settled)?.columns ?? [])),
    [settled, takesObjects],
  );
  const [ticked, setTicked] = useState<string[]>([]);
  const carry = ticked.filter((name) => columns.includes(name));
  const params = { id };
  const dryRun = useQuery({
    queryKey: ['workflow-dry-run', id, settled, carry],
    queryFn: () =>
      call('createWorkflowRun', {
        params,
        body: { ...startInputs(settled, takesObjects, carry), dry_run: true },
      }),
    enabled: isList && settled.trim() !== '',
    retry: false,
  });
  const start = useMutation({
    mutationFn: () =>
      call('createWorkflowRun', {
        params,
        body: sourceOfChoice(source, false) ?? startInputs(text, takesObjects, carry),
      }),
    onSuccess: async (run) => {
      if ('id' in run) await navigate({ to: '/workflow-runs/$runId', params: { runId: run.id } });
    },
  });
  const answer = dryRun.data !== undefined && 'dry_run' in dryRun.data ? dryRun.data : undefined;
  return (
    <FormDialog
      title="Run this workflow"
      size="lg"
      onClose={onClose}
      sent={{ ...start, error: start.error ?? dryRun.error }}
      submit={answer && isList ? `Run for at least ${plural(answer.credits.most, 'credit')}` : 'Run'}
      isReady={isList ? text.trim() !== '' : lackOfSource(source) === undefined}
      beside={
        <span className="soft small">
          This pays for the first stage. Later stages are paid when their pages arrive, within the limits of
          the workflow.
        </span>
      }
    >
      <SourceFields value={source} onChange={setSource}>
        <Textarea
          label={
            takesObjects
              ? 'Inputs of the first stage, one JSON object a line'
              : 'Pages of the first stage, one address a line'
          }
          rows={7}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        {columns.length > 0 && <ColumnTicks columns={columns} carry={carry} onCarry={setTicked} />}
      </SourceFields>
    </FormDialog>
  );
}

function limitsText({ tasks, credits }: Workflow['limits']): string | undefined {
  const limits = [tasks && plural(tasks, 'task'), credits && plural(credits, 'credit')].filter(Boolean);
  return limits.length === 0 ? undefined : `A run has at most ${limits.join(' and ')}.`;
}

function WorkflowActions({ workflow }: { workflow: Workflow }) {
  const { id, name } = workflow;
  const navigate = useNavigate();
  return (
    <>
      <DeleteButton
        kind="workflow"
        name={name}
        run={() => call('deleteWorkflow', { params: { id } })}
        stale={['listWorkflows']}
        next={linkOptions({ to: '/workflows' })}
      >
        Its ended runs and their rows stay.
      </DeleteButton>
      <ActionButton
        icon={IconPencil}
        onClick={() => void navigate({ to: '/workflows/$workflowId/edit', params: { workflowId: id } })}
      >
        Edit
      </ActionButton>
      <OpenButton
        isMain
        icon={IconPlayerPlay}
        dialog={(close) => <StartDialog workflow={workflow} onClose={close} />}
      >
        Run
      </OpenButton>
    </>
  );
}

/** One workflow: its stages and its runs. */
export function WorkflowPage() {
  const { workflowId } = useParams({ from: '/app/workflows/$workflowId' });
  const query = useQuery(operationQuery('getWorkflow', { params: { id: workflowId } }));
  const workflow = query.data;
  return (
    <Page
      title={workflow?.name ?? 'Workflow'}
      crumbs={[<Link to="/workflows">Workflows</Link>]}
      aside={
        workflow && (
          <>
            <span className="soft small nowrap">version {workflow.version}</span>
            <AlarmBadge parserId={parsersOf(workflow.stages)} />
          </>
        )
      }
      padded
      actions={workflow && <WorkflowActions workflow={workflow} />}
    >
      <Loaded query={query} what="the workflow">
        {({ stages, limits }) => (
          <div className="stack loose">
            <StageGraph stages={stages} />
            <p className="soft small">{limitsText(limits)}</p>
            <section aria-label="Runs" className="stack">
              <h2>Runs</h2>
              <RunTable workflowId={workflowId} />
            </section>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
