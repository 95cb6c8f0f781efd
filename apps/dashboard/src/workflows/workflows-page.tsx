import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { listQuery } from '../api/queries.ts';
import { IconPlus } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { When } from '../parts/values.tsx';

/** All workflows. */
export function WorkflowsPage() {
  const navigate = useNavigate();
  const query = useInfiniteQuery(listQuery('listWorkflows', { query: {} }));
  const add = (
    <Button leftSection={<IconPlus size={14} />} onClick={() => void navigate({ to: '/workflows/new' })}>
      New workflow
    </Button>
  );
  return (
    <Page title="Workflows" actions={add}>
      <Listed
        label="Workflows"
        query={query}
        rowsOf={(page) => page.workflows}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/workflows/$workflowId', params: { workflowId: id } })}
        empty={
          <Empty title="No workflow yet">
            <p>
              A workflow reads list pages, follows their links and reads what they lead to: each stage takes
              what the one before found.
            </p>
            {add}
          </Empty>
        }
        columns={[
          {
            id: 'name',
            header: 'Name',
            width: 'minmax(160px, 1fr)',
            cell: ({ id, name }) => (
              <Link to="/workflows/$workflowId" params={{ workflowId: id }}>
                {name}
              </Link>
            ),
          },
          {
            id: 'stages',
            header: 'Stages',
            width: 'minmax(200px, 2fr)',
            cell: ({ stages }) => <span className="soft">{stages.map(({ name }) => name).join(' → ')}</span>,
          },
          {
            id: 'version',
            isExtra: true,
            header: 'Version',
            width: '80px',
            align: 'right',
            cell: (one) => one.version,
          },
          {
            id: 'changed',
            isExtra: true,
            header: 'Changed',
            width: '120px',
            cell: (one) => <When at={one.updated_at} />,
          },
        ]}
      />
    </Page>
  );
}
