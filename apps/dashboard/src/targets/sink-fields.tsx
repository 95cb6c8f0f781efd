import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/queries.ts';

export interface SinkChoice {
  /** Null: the results stay with the run. */
  database: string | null;
  table: string;
}

interface SinkFieldsProps {
  value: SinkChoice;
  onChange: (value: SinkChoice) => void;
  /** A line for "no database"; without it a database must be chosen. */
  without?: string;
}

const TABLE = /^[a-z_][a-z0-9_]{0,62}$/;

export function isSinkComplete({ database, table }: SinkChoice): boolean {
  return database !== null && TABLE.test(table);
}

/** Chooses where rows go: a database and a table, which is made on the first write. */
export function SinkFields({ value, onChange, without }: SinkFieldsProps) {
  const databases = useQuery(operationQuery('listDatabases', { query: { limit: 100 } }));
  const { database, table } = value;
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
        ]}
        value={database ?? (without === undefined ? null : '')}
        allowDeselect={false}
        onChange={(chosen) => onChange({ ...value, database: chosen === '' ? null : chosen })}
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
    </div>
  );
}
