import { isSinkType } from '@gleaner/contracts/values';
import { Autocomplete, TextInput } from '@mantine/core';
import { useState } from 'react';
import { QuietButton, RemoveButton, textInput } from '../parts/forms.tsx';
import type { SinkChoice } from './sink.ts';

/** The types that people pick most often; others can be typed. */
const COMMON = [
  'text',
  'varchar(200)',
  'integer',
  'bigint',
  'numeric(10,2)',
  'double precision',
  'boolean',
  'date',
  'timestamptz',
  'uuid',
  'jsonb',
  'text[]',
];

type Line = readonly [column: string, type: string];

type Columns = Pick<SinkChoice, 'key' | 'types'>;

interface ColumnTypesProps {
  value: Columns;
  onChange: (value: Columns) => void;
}

/** The names of columns that a text holds, with commas or blanks between them. */
function namesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** Chooses the key of a table's rows, and the types of columns that it gets; without a choice a column has its field's. */
export function ColumnTypes({ value, onChange }: ColumnTypesProps) {
  const { key, types = {} } = value;
  const [keyText, setKeyText] = useState((key ?? []).join(', '));
  // Lines that are half typed are no types yet.
  const [lines, setLines] = useState<readonly Line[]>(() => {
    const known = Object.entries(types);
    return known.length === 0 ? [['', '']] : known;
  });
  const change = (next: readonly Line[]): void => {
    setLines(next);
    const named = next.filter(([column]) => column.trim() !== '');
    onChange({
      types:
        named.length === 0
          ? undefined
          : Object.fromEntries(named.map(([column, type]) => [column.trim(), type])),
    });
  };
  return (
    <div className="stack tight" role="group" aria-label="Key and types of columns">
      <TextInput
        label="Columns that identify a row"
        placeholder="the parser’s key, else _url"
        {...textInput(keyText, (text) => {
          setKeyText(text);
          onChange({ key: namesOf(text) });
        })}
        w={360}
      />
      {lines.map(([column, type], index) => (
        <div key={index} className="row bottom">
          <TextInput
            label={index === 0 ? 'Column' : undefined}
            aria-label="Column"
            placeholder="price"
            w={180}
            {...textInput(column, (name) => change(lines.with(index, [name, type])))}
          />
          <Autocomplete
            label={index === 0 ? 'Its type' : undefined}
            aria-label={`Type of ${column === '' ? 'the column' : column}`}
            placeholder="numeric(10,2)"
            // All of them, whatever is written there.
            data={COMMON}
            filter={({ options }) => options}
            value={type}
            onChange={(chosen) => change(lines.with(index, [column, chosen]))}
            error={type !== '' && !isSinkType(type)}
            w={180}
          />
          <RemoveButton
            label={`Leave the type of ${column === '' ? 'this column' : column} to its field`}
            onClick={() => change(lines.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <QuietButton onClick={() => change([...lines, ['', '']])}>Type of a column</QuietButton>
      </div>
    </div>
  );
}
