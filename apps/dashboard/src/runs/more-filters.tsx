import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operationQuery } from '../api/call.ts';
import { choicesFrom } from '../parts/choices.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { Form } from '../parts/forms.tsx';
import type { RunsSearch } from './search.ts';

interface MoreFiltersProps {
  search: RunsSearch;
  onChange: (change: RunsSearch) => void;
}

const DAYS = [
  ['from', 'From', 'From this day'],
  ['to', 'Until', 'Until this day'],
] as const;

/** Filters a list of runs by what started them, by their table, and by the days on which they were created. */
export function MoreFilters({ search, onChange }: MoreFiltersProps) {
  const crons = useQuery(operationQuery('listCrons', { query: { limit: 100 } }));
  const [table, setTable] = useState(search.table ?? '');
  const takeTable = (): void => onChange({ table: table.trim() || undefined });
  return (
    <>
      <FilterSelect
        label="Cron"
        w={130}
        data={choicesFrom(crons.data?.crons)}
        value={search.cron}
        onChange={(cron) => onChange({ cron })}
      />
      <Form onSubmit={takeTable}>
        <TextInput
          aria-label="Table"
          placeholder="Any table"
          w={110}
          value={table}
          onChange={(event) => setTable(event.currentTarget.value)}
          onBlur={takeTable}
        />
      </Form>
      {DAYS.map(([name, word, label]) => (
        <TextInput
          key={name}
          type="date"
          aria-label={label}
          title={label}
          w={170}
          leftSection={<span className="small soft">{word}</span>}
          leftSectionWidth={42}
          value={search[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.currentTarget.value || undefined })}
        />
      ))}
    </>
  );
}
