import { Checkbox, Select } from '@mantine/core';
import type { FieldObject, FieldType, Take } from '@gleaner/contracts';
import { choicesOf } from '../../parts/choices.ts';
import styles from './fields.module.css';
import { TransformSteps } from './transform-steps.tsx';

const TYPES = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  money: 'amount of money',
  boolean: 'yes or no',
  date: 'date',
  datetime: 'date and time',
  url: 'address (absolute)',
  html: 'HTML',
  text: 'text with line breaks',
  markdown: 'Markdown',
  json: 'JSON',
  table: 'table',
} satisfies Record<FieldType, string>;

const TAKES = {
  first: 'the first',
  all: 'all, as a list',
  count: 'their number',
  exists: 'whether there is one',
} satisfies Record<Take, string>;

/** Leaves out default values, so that the JSON stays short. */
function without(field: FieldObject, key: keyof FieldObject, value: unknown): FieldObject {
  const { [key]: _dropped, ...rest } = field;
  return value === undefined ? rest : { ...rest, [key]: value };
}

interface FieldOptionsProps {
  field: FieldObject;
  onChange: (field: FieldObject) => void;
}

/** What becomes of the value that the sources give. */
export function FieldOptions({ field, onChange }: FieldOptionsProps) {
  const isGroup = field.fields !== undefined;
  const set = (key: keyof FieldObject, value: unknown): void => onChange(without(field, key, value));
  return (
    <>
      <div className={`row ${styles.options}`}>
        <Select
          label="Take"
          data={choicesOf(TAKES)}
          value={field.take ?? 'first'}
          allowDeselect={false}
          className="grow"
          onChange={(take) => set('take', take === 'first' ? undefined : take)}
        />
        {!isGroup && (
          <Select
            label="as"
            data={choicesOf(TYPES)}
            value={field.type ?? 'string'}
            allowDeselect={false}
            className="grow"
            onChange={(type) => set('type', type === 'string' ? undefined : type)}
          />
        )}
      </div>
      {!isGroup && (
        <TransformSteps
          steps={field.transform ?? []}
          onChange={(steps) => set('transform', steps.length === 0 ? undefined : steps)}
        />
      )}
      <div className={`row wrap ${styles.flags}`}>
        <Checkbox
          label="Required"
          checked={field.required === true}
          onChange={(event) => set('required', event.currentTarget.checked ? true : undefined)}
        />
        {!isGroup && (
          <Checkbox
            label="Identifies the row"
            checked={field.key === true}
            onChange={(event) => set('key', event.currentTarget.checked ? true : undefined)}
          />
        )}
      </div>
    </>
  );
}
