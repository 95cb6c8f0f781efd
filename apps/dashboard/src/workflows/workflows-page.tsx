import { linkOptions } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { column, extra, numberColumn, softColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { AddButton, ListPage } from '../parts/listed.tsx';
import { useFound } from '../parts/list-search.ts';
import { When } from '../parts/when.tsx';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { parsersOf } from './stages.ts';

const COLUMNS: readonly Column<CallOutput<'listWorkflows'>['workflows'][number]>[] = [
  extra(
    softColumn('Stages', 'minmax(200px, 2fr)', ({ stages }) => stages.map(({ name }) => name).join(' → ')),
  ),
  column('State', '140px', ({ stages }) => <AlarmBadge parserId={parsersOf(stages)} />),
  extra(numberColumn('Version', '80px', ({ version }) => version)),
  extra(column('Changed', '120px', (one) => <When at={one.updated_at} />)),
];

/** All workflows. */
export function WorkflowsPage() {
  return (
    <ListPage
      title="Workflows"
      query={useFound('listWorkflows')}
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
