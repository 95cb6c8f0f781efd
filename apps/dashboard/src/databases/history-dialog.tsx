import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { call, useChange } from '../api/call.ts';
import { isOwnColumn, type ColumnType } from './filters.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { tickBox } from '../parts/forms.tsx';

export interface HistoryTable {
  name: string;
  columns: readonly ColumnType[];
  key: readonly string[];
  history: { volatile: readonly string[] } | null;
}

interface HistoryDialogProps {
  databaseId: string;
  table: HistoryTable;
  onClose: () => void;
}

/** Begins the history of a table, or says which of its columns make no change. */
export function HistoryDialog({ databaseId, table, onClose }: HistoryDialogProps) {
  const [volatile, setVolatile] = useState<readonly string[]>(table.history?.volatile ?? []);
  const params = { id: databaseId, table: table.name };
  const sent = useChange(
    () => call('updateTable', { params, body: { history: true, volatile: [...volatile] } }),
    { stale: ['getDatabase', 'getChanges'], onDone: onClose },
  );
  const names = table.columns.map(({ name }) => name);
  return (
    <FormDialog
      title={table.history ? `Changes of ${table.name}` : `Keep the changes of ${table.name}`}
      onClose={onClose}
      sent={sent}
      submit={table.history ? 'Save' : 'Keep changes'}
    >
      <p>
        {table.history
          ? 'What is kept stays; the choice holds for the next rows.'
          : 'From the next rows on, Gleaner keeps what is new, what differs, and the values before.'}
      </p>
      <div role="group" aria-label="Columns that make no change" className="stack tight">
        <span className="soft">Columns that alone make no change, such as a number of visitors:</span>
        {names
          .filter((name) => !isOwnColumn(name) && !table.key.includes(name))
          .map((name) => (
            <Checkbox
              key={name}
              label={name}
              {...tickBox(volatile.includes(name), (isTicked) =>
                setVolatile(isTicked ? [...volatile, name] : volatile.filter((one) => one !== name)),
              )}
            />
          ))}
      </div>
    </FormDialog>
  );
}
