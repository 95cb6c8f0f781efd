import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DriftRule } from '@gleaner/contracts/values';
import { operationQuery } from '../api/queries.ts';
import { choicesOf } from '../parts/choices.ts';
import { NewDatabase } from './new-database.tsx';

export interface SinkChoice {
  /** Null: the results stay with the run. */
  database: string | null;
  table: string;
  /** Absent: rows are written whatever happens. */
  onDrift?: DriftRule | undefined;
}

/** What happens to the rows of a parser that seems broken; '' is the default. */
const DRIFT_WORDS = {
  '': 'Write rows as they are',
  quarantine: 'Hold doubtful rows back',
  pause: 'Hold them back, and stop',
} satisfies Record<DriftRule | '', string>;

/** The part of a sink that these fields hold; undefined without a database. */
export function sinkOfChoice({ database, table, onDrift }: SinkChoice) {
  if (database === null) return undefined;
  return {
    mode: 'database' as const,
    database,
    table,
    ...(onDrift === undefined ? {} : { on_drift: onDrift }),
  };
}

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
const TABLE = /^[a-z_][a-z0-9_]{0,62}$/;

export function isSinkComplete({ database, table }: SinkChoice): boolean {
  return database !== null && TABLE.test(table);
}

/** Chooses where rows go: a database and a table, which is made on the first write. */
export function SinkFields({ value, onChange, without, withDrift = false }: SinkFieldsProps) {
  const databases = useQuery(operationQuery('listDatabases', { query: { limit: 100 } }));
  const { database, table } = value;
  const [isAdding, setAdding] = useState(false);
  return (
    <div className="row wrap" style={{ alignItems: 'flex-start' }}>
      <Select
        label={without === undefined ? 'Rows go to' : 'Results go to'}
        placeholder="A database"
        data={[
          ...(without === undefined ? [] : [{ value: '', label: without }]),
          ...(databases.data?.databases ?? []).map(({ id, name }) => ({
            value: id,
            label: `database ${name}`,
          })),
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
          error={table === '' || TABLE.test(table) ? undefined : 'a-z, 0-9, _'}
          w={180}
        />
      )}
      {database !== null && withDrift && (
        <Select
          label="If the site has changed"
          data={choicesOf(DRIFT_WORDS)}
          value={value.onDrift ?? ''}
          allowDeselect={false}
          onChange={(chosen) =>
            onChange({ ...value, onDrift: chosen === null || chosen === '' ? undefined : chosen })
          }
          w={220}
        />
      )}
      <NewDatabase
        opened={isAdding}
        onClose={() => setAdding(false)}
        onCreated={(id) => {
          setAdding(false);
          onChange({ ...value, database: id });
        }}
      />
    </div>
  );
}
