import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { Confirm } from '../parts/confirm.tsx';
import { IconPencil, IconPlayerPlay, IconTrash } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { RunTable } from './run-table.tsx';
import { StageGraph } from './stage-graph.tsx';
import { StartDialog } from './start-dialog.tsx';
import { useTargetName } from './use-target-name.ts';

/** One workflow: its stages and its runs. */
export function WorkflowPage() {
  const { workflowId } = useParams({ from: '/app/workflows/$workflowId' });
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isStarting, setStarting] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const query = useQuery(operationQuery('getWorkflow', { params: { id: workflowId } }));
  const targetName = useTargetName();
  const workflow = query.data;
  return (
    <Page
      title={workflow?.name ?? 'Workflow'}
      crumbs={<Link to="/workflows">Workflows</Link>}
      aside={workflow && <span className="soft small">version {workflow.version}</span>}
      padded
      actions={
        workflow && (
          <>
            <Button variant="default" leftSection={<IconTrash size={14} />} onClick={() => setDeleting(true)}>
              Delete
            </Button>
            <Button
              variant="default"
              leftSection={<IconPencil size={14} />}
              onClick={() => void navigate({ to: '/workflows/$workflowId/edit', params: { workflowId } })}
            >
              Edit
            </Button>
            <Button leftSection={<IconPlayerPlay size={14} />} onClick={() => setStarting(true)}>
              Run
            </Button>
          </>
        )
      }
    >
      <Loaded query={query} what="the workflow">
        {({ stages, limits }) => (
          <div className="stack" style={{ gap: 20 }}>
            <StageGraph stages={stages} targetName={targetName} />
            {(limits.tasks !== undefined || limits.credits !== undefined) && (
              <p className="soft small">
                A run has at most{' '}
                {[
                  limits.tasks === undefined ? '' : `${formatNumber(limits.tasks)} tasks`,
                  limits.credits === undefined ? '' : `${formatNumber(limits.credits)} credits`,
                ]
                  .filter((text) => text !== '')
                  .join(' and ')}
                .
              </p>
            )}
            <section aria-label="Runs" className="stack">
              <h2>Runs</h2>
              <RunTable workflowId={workflowId} />
            </section>
          </div>
        )}
      </Loaded>
      {isStarting && (
        <StartDialog
          workflowId={workflowId}
          takesObjects={workflow?.stages[0]?.target.type === 'api'}
          onClose={() => setStarting(false)}
        />
      )}
      <Confirm
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this workflow"
        typed={workflow?.name}
        action="Delete workflow"
        run={async () => {
          await call('deleteWorkflow', { params: { id: workflowId } });
          await client.invalidateQueries({ queryKey: ['listWorkflows'] });
          await navigate({ to: '/workflows' });
        }}
      >
        Its ended runs and their rows stay.
      </Confirm>
    </Page>
  );
}
