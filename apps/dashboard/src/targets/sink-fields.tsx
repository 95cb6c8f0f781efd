import { IDENTIFIER, IDENTIFIER_RULE, type DriftRule } from '@gleaner/contracts/values';
import { Select, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { operationQuery } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { choicesFrom } from '../parts/choices.ts';
import { Choice, QuietButton, textInput } from '../parts/forms.tsx';
import { choicesFault, useSearched } from '../parts/use-searched.ts';
import { MADE, type SinkChoice } from './sink.ts';

/** Rarely opened, so no form waits for its code. */
const NewDatabase = lazy(async () => ({ default: (await import('./new-database.tsx')).NewDatabase }));

const ColumnTypes = lazy(async () => ({ default: (await import('./column-types.tsx')).ColumnTypes }));

const HistoryFields = lazy(async () => ({ default: (await import('./history-fields.tsx')).HistoryFields }));

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
  /** Ask whether the table keeps its changes. */
  withHistory?: boolean;
}

/** The choice that makes a database. */
const NEW = 'new';

const MADE_WORD = 'a new database, “results”';

function wordOf(name: string | null): string {
  return `database ${name ?? ''}`;
}

/** A quiet button, and the key and types of columns once somebody wants to choose some. */
function TypeFields({ value, onChange }: Pick<SinkFieldsProps, 'value' | 'onChange'>) {
  const [isOpen, setOpen] = useState(value.types !== undefined || value.key !== undefined);
  if (!isOpen)
    return (
      <div>
        <QuietButton onClick={() => setOpen(true)}>Key and types of columns</QuietButton>
      </div>
    );
  return (
    <Suspense fallback={null}>
      <ColumnTypes value={value} onChange={(columns) => onChange({ ...value, ...columns })} />
    </Suspense>
  );
}

/** A quiet button, and what the table keeps of its changes once somebody wants it. */
function ChangesFields({ value, onChange }: Pick<SinkFieldsProps, 'value' | 'onChange'>) {
  const { history } = value;
  if (history === undefined)
    return (
      <div>
        <QuietButton onClick={() => onChange({ ...value, history: {} })}>Changes of the table</QuietButton>
      </div>
    );
  return (
    <Suspense fallback={null}>
      <HistoryFields value={history} onChange={(next) => onChange({ ...value, history: next })} />
    </Suspense>
  );
}

/** Chooses where rows go: a database and a table, which is made on the first write. */
export function SinkFields({
  value,
  onChange,
  without,
  withDrift = false,
  withHistory = false,
}: SinkFieldsProps) {
  const { database, table, onDrift } = value;
  const chosen = useNamed(database);
  const { query, field } = useSearched(
    chosen ? wordOf(chosen.name) : database === MADE ? MADE_WORD : without,
  );
  const databases = useQuery({
    ...operationQuery('listDatabases', { query }),
    placeholderData: keepPreviousData,
  });
  const [isAdding, setAdding] = useState(false);
  const known = choicesFrom(databases.data?.databases, chosen);
  return (
    <div className="stack tight">
      <div className="row wrap top">
        <Select
          label={without === undefined ? 'Rows go to' : 'Results go to'}
          placeholder="A database"
          data={[
            ...(without === undefined ? [] : [{ value: '', label: without }]),
            ...(database === MADE ? [{ value: MADE, label: MADE_WORD }] : []),
            ...known.map(({ value: id, label }) => ({ value: id, label: wordOf(label) })),
            { value: NEW, label: 'New database …' },
          ]}
          value={database ?? (without === undefined ? null : '')}
          allowDeselect={false}
          {...field}
          {...choicesFault(databases.error)}
          onChange={(key) => {
            if (key === NEW) setAdding(true);
            else onChange({ ...value, database: key === '' ? null : key });
          }}
          w={240}
        />
        {database !== null && (
          <TextInput
            label="Table"
            placeholder="products"
            {...textInput(table, (name) => onChange({ ...value, table: name }))}
            error={table === '' || IDENTIFIER.test(table) ? undefined : IDENTIFIER_RULE}
            w={180}
          />
        )}
        {database !== null && withDrift && (
          <Choice
            label="If the site has changed"
            words={DRIFT_WORDS}
            value={onDrift ?? ''}
            onChange={(rule) => onChange({ ...value, onDrift: rule || undefined })}
            w={220}
          />
        )}
      </div>
      {database !== null && <TypeFields value={value} onChange={onChange} />}
      {database !== null && withHistory && <ChangesFields value={value} onChange={onChange} />}
      {isAdding && (
        <Suspense fallback={null}>
          <NewDatabase
            onClose={() => setAdding(false)}
            onCreated={(id) => {
              setAdding(false);
              onChange({ ...value, database: id });
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
