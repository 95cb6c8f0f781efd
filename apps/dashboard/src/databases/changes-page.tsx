import { TEXT_EXPORT_FORMATS } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call, exportUrl } from '../api/call.ts';
import { ChangeList } from '../changes/change-list.tsx';
import { KIND_CHOICES } from '../changes/change-parts.tsx';
import { ConfirmButton, OpenButton } from '../parts/buttons.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import { IconHistory, IconPencil, IconPlayerStop } from '../parts/icons.ts';
import { Empty, Loaded } from '../parts/page.tsx';
import { HistoryDialog, type HistoryTable } from './history-dialog.tsx';
import { TableFrame, useTable } from './table-frame.tsx';

/** Changes what counts as a change, or ends the history. */
function HistoryActions({ databaseId, table }: { databaseId: string; table: HistoryTable }) {
  const params = { id: databaseId, table: table.name };
  return (
    <>
      <ConfirmButton
        isSmall
        icon={IconPlayerStop}
        label="Keep no changes"
        title={`Keep no more changes of ${table.name}`}
        typed={table.name}
        action="End the history"
        run={() => call('updateTable', { params, body: { history: false } })}
        stale={['getDatabase', 'getChanges', 'getRowHistory']}
      >
        The changes that are kept are deleted, and programs that read them have to begin anew. The rows stay.
      </ConfirmButton>
      <OpenButton
        icon={IconPencil}
        isSmall
        dialog={(close) => <HistoryDialog databaseId={databaseId} table={table} onClose={close} />}
      >
        What counts
      </OpenButton>
    </>
  );
}

function NoHistory({ databaseId, table }: { databaseId: string; table: HistoryTable }) {
  if (table.key.length === 0)
    return (
      <Empty title="This table can’t keep its changes">
        <p>It has no key that tells one row from another, so every row that is written is another row.</p>
      </Empty>
    );
  return (
    <Empty title="This table keeps no changes yet">
      <p>
        Gleaner can note, as it writes, which rows are new, which values differ from those before, and which
        rows went. What was written before is not known.
      </p>
      <OpenButton
        isMain
        icon={IconHistory}
        dialog={(close) => <HistoryDialog databaseId={databaseId} table={table} onClose={close} />}
      >
        Keep changes
      </OpenButton>
    </Empty>
  );
}

/** What changed in a table. */
export function ChangesPage() {
  const { params, database, info } = useTable();
  const { kinds } = useSearch({ from: '/app/databases/$databaseId/$table' });
  const navigate = useNavigate({ from: '/databases/$databaseId/$table' });
  const hasHistory = info !== undefined && info.history !== null;
  const show = (next: typeof kinds): void =>
    void navigate({ search: (known) => ({ ...known, kinds: next }), replace: true });
  return (
    <TableFrame
      actions={
        hasHistory && (
          <>
            <HistoryActions databaseId={params.id} table={info} />
            <ExportMenu
              isQuiet
              formats={TEXT_EXPORT_FORMATS}
              urlOf={(format) =>
                exportUrl('/v1/databases/{id}/tables/{table}/changes', { params, query: { format, kinds } })
              }
            />
          </>
        )
      }
      filters={
        hasHistory && <FilterSelect label="Kind" data={KIND_CHOICES} value={kinds} onChange={show} w={130} />
      }
    >
      <Loaded query={database} what="the table">
        {({ problem }) =>
          info === undefined ? (
            <Empty title={problem === null ? 'The table is not there' : 'The database does not answer'}>
              <p>{problem ?? 'It is made when the first row is written.'}</p>
            </Empty>
          ) : info.history === null ? (
            <NoHistory databaseId={params.id} table={info} />
          ) : (
            <ChangeList
              params={params}
              kinds={kinds}
              empty={
                <Empty title={kinds === undefined ? 'Nothing has changed yet' : 'No change of this kind'}>
                  {kinds === undefined ? (
                    <p>The next run that writes here shows what is new and what differs.</p>
                  ) : (
                    <Button variant="default" onClick={() => show(undefined)}>
                      Show all kinds
                    </Button>
                  )}
                </Empty>
              }
            />
          )
        }
      </Loaded>
    </TableFrame>
  );
}
