import { useQuery } from '@tanstack/react-query';
import { Link, linkOptions, useNavigate, useParams } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { plural } from '../format/number.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { IconPencil, IconPlayerPlay } from '../parts/icons.ts';
import { OpenButton } from '../parts/open-button.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { RunTable } from './run-table.tsx';
import { StageGraph } from './stage-graph.tsx';
import { StartDialog } from './start-dialog.tsx';
import { useTargetName } from './use-target-name.ts';

type Workflow = CallOutput<'getWorkflow'>;

function limitsText({ tasks, credits }: Workflow['limits']): string | undefined {
  const limits = [
    tasks === undefined ? '' : plural(tasks, 'task'),
    credits === undefined ? '' : plural(credits, 'credit'),
  ].filter((text) => text !== '');
  return limits.length === 0 ? undefined : `A run has at most ${limits.join(' and ')}.`;
}

function WorkflowActions({ workflow: { id, name, stages } }: { workflow: Workflow }) {
  const navigate = useNavigate();
  return (
    <>
      <DeleteButton
        kind="workflow"
        name={name}
        remove={() => call('deleteWorkflow', { params: { id } })}
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
        dialog={(close) => (
          <StartDialog workflowId={id} takesObjects={stages[0]?.target.type === 'api'} onClose={close} />
        )}
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
  const targetName = useTargetName();
  const workflow = query.data;
  return (
    <Page
      title={workflow?.name ?? 'Workflow'}
      crumbs={[<Link to="/workflows">Workflows</Link>]}
      aside={workflow && <span className="soft small">version {workflow.version}</span>}
      padded
      actions={workflow && <WorkflowActions workflow={workflow} />}
    >
      <Loaded query={query} what="the workflow">
        {({ stages, limits }) => (
          <div className="stack loose">
            <StageGraph stages={stages} targetName={targetName} />
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
