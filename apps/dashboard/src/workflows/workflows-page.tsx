import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { listQuery, type CallOutput } from '../api/call.ts';
import type { Column } from '../parts/data-table.tsx';
import { AddButton, ListPage } from '../parts/listed.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { When } from '../parts/when.tsx';
import { WorkflowAlarm } from './workflow-alarm.tsx';

const COLUMNS: readonly Column<CallOutput<'listWorkflows'>['workflows'][number]>[] = [
  {
    header: 'Stages',
    isExtra: true,
    width: 'minmax(200px, 2fr)',
    cell: ({ stages }) => <span className="soft">{stages.map(({ name }) => name).join(' → ')}</span>,
  },
  { header: 'State', width: '140px', cell: ({ stages }) => <WorkflowAlarm stages={stages} /> },
  { header: 'Version', isExtra: true, width: '80px', align: 'right', cell: ({ version }) => version },
  { header: 'Changed', isExtra: true, width: '120px', cell: (one) => <When at={one.updated_at} /> },
];

/** All workflows. */
export function WorkflowsPage() {
  const query = useInfiniteQuery({
    ...listQuery('listWorkflows', { query: useListSearch() }),
    placeholderData: keepPreviousData,
  });
  return (
    <ListPage
      title="Workflows"
      query={query}
      rowsOf={(page) => page.workflows}
      columns={COLUMNS}
      placeOf={({ id }) => linkOptions({ to: '/workflows/$workflowId', params: { workflowId: id } })}
      add={<AddButton to={linkOptions({ to: '/workflows/new' })}>New workflow</AddButton>}
      empty={{
        title: 'No workflow yet',
        about: 'A workflow follows links: each stage reads the pages that the stage before found.',
      }}
    />
  );
}
