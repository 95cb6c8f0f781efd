import type { DriftRule } from '@gleaner/contracts/values';
import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operationQuery } from '../api/call.ts';
import { choicesOf } from '../parts/choices.ts';
import { NewDatabase } from './new-database.tsx';
import { NAME, type SinkChoice } from './sink.ts';

/** What happens to the rows of a parser that seems broken; '' is the default. */
const DRIFT_WORDS = {
  '': 'Write rows as they are',
  quarantine: 'Hold doubtful rows',
  pause: 'Hold them, and pause',
} satisfies Record<DriftRule | '', string>;

interface SinkFieldsProps {
  value: SinkChoice;
  onChange: (value: SinkChoice) => void;
  /** A line for "no database"; without it a database must be chosen. */
  without?: string;
  /** Ask what happens to rows of a parser that seems broken. */
  withDrift?: boolean;
}

/** The choice that makes a database. */
const NEW = 'new';

/** Chooses where rows go: a database and a table, which is made on the first write. */
export function SinkFields({ value, onChange, without, withDrift = false }: SinkFieldsProps) {
  const databases = useQuery(operationQuery('listDatabases', { query: { limit: 100 } }));
  const { database, table, onDrift } = value;
  const [isAdding, setAdding] = useState(false);
  const known = (databases.data?.databases ?? []).map(({ id, name }) => ({
    value: id,
    label: `database ${name}`,
  }));
  return (
    <div className="row wrap top">
      <Select
        label={without === undefined ? 'Rows go to' : 'Results go to'}
        placeholder="A database"
        data={[
          ...(without === undefined ? [] : [{ value: '', label: without }]),
          ...known,
          { value: NEW, label: 'New database …' },
        ]}
        value={database ?? (without === undefined ? null : '')}
        allowDeselect={false}
        onChange={(chosen) => {
          if (chosen === NEW) setAdding(true);
          else onChange({ ...value, database: chosen === '' ? null : chosen });
        }}
        w={240}
      />
      {database !== null && (
        <TextInput
          label="Table"
          placeholder="products"
          value={table}
          onChange={(event) => onChange({ ...value, table: event.currentTarget.value })}
          error={table === '' || NAME.test(table) ? undefined : 'a-z, 0-9, _'}
          w={180}
        />
      )}
      {database !== null && withDrift && (
        <Select
          label="If the site has changed"
          data={choicesOf(DRIFT_WORDS)}
          value={onDrift ?? ''}
          allowDeselect={false}
          onChange={(chosen) => onChange({ ...value, onDrift: chosen || undefined })}
          w={220}
        />
      )}
      {isAdding && (
        <NewDatabase
          onClose={() => setAdding(false)}
          onCreated={(id) => {
            setAdding(false);
            onChange({ ...value, database: id });
          }}
        />
      )}
    </div>
  );
}
