import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { isBoolean, operatorsFor, typeOfColumn, type ColumnType, type Condition } from './filters.ts';

interface ConditionFormProps {
  columns: readonly ColumnType[];
  onAdd: (condition: Condition) => void;
}

interface ValueInputProps {
  isYesOrNo: boolean;
  text: string;
  onText: (text: string) => void;
}

function ValueInput({ isYesOrNo, text, onText }: ValueInputProps) {
  if (!isYesOrNo)
    return (
      <TextInput
        aria-label="Value"
        value={text}
        w={140}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    );
  return (
    <Select
      aria-label="Value"
      data={[
        { value: 'true', label: 'yes' },
        { value: 'false', label: 'no' },
      ]}
      value={text === '' ? null : text}
      w={90}
      onChange={(value) => onText(value ?? '')}
    />
  );
}

/** Adds a condition on one column. */
export function ConditionForm({ columns, onAdd }: ConditionFormProps) {
  const [column, setColumn] = useState<string | null>(null);
  const [operator, setOperator] = useState<string | null>(null);
  const [text, setText] = useState('');
  const type = typeOfColumn(columns, column);
  const operators = operatorsFor(type);
  const chosen = operators.find(({ value }) => value === operator) ?? operators[0];
  const isReady = column !== null && chosen !== undefined && (!chosen.needsValue || text !== '');
  return (
    <form
      className="row wrap"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        onAdd({ column, operator: chosen.value, text });
        setText('');
      }}
    >
      <Select
        aria-label="Column"
        placeholder="Filter by …"
        data={columns.map(({ name }) => name)}
        value={column}
        searchable
        w={150}
        onChange={setColumn}
      />
      {column !== null && (
        <>
          <Select
            aria-label="Condition"
            data={operators.map(({ value, label }) => ({ value, label }))}
            value={chosen?.value ?? null}
            allowDeselect={false}
            w={110}
            onChange={setOperator}
          />
          {chosen?.needsValue === true && (
            <ValueInput isYesOrNo={isBoolean(type)} text={text} onText={setText} />
          )}
          <Button type="submit" variant="default" disabled={!isReady}>
            Add
          </Button>
        </>
      )}
    </form>
  );
}
