import { Checkbox } from '@mantine/core';
import type { FieldObject, FieldType, Take } from '@gleaner/contracts';
import { Choice, tickBox, withMember } from '../../parts/forms.tsx';
import styles from './fields.module.css';
import { TransformSteps } from './transform-steps.tsx';

const TYPES = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  money: 'amount of money',
  duration: 'length of time, in seconds',
  rating: 'rating with its scale',
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

interface FieldOptionsProps {
  field: FieldObject;
  onChange: (field: FieldObject) => void;
}

/** What becomes of the value that the sources give. Default values are left out, so that the JSON stays short. */
export function FieldOptions({ field, onChange }: FieldOptionsProps) {
  const isGroup = field.fields !== undefined;
  const set = <K extends keyof FieldObject>(key: K, value: FieldObject[K] | undefined): void =>
    onChange(withMember(field, key, value));
  return (
    <>
      <div className={`row ${styles.options}`}>
        <Choice
          label="Take"
          words={TAKES}
          value={field.take ?? 'first'}
          className="grow"
          onChange={(take) => set('take', take === 'first' ? undefined : take)}
        />
        {!isGroup && (
          <Choice
            label="as"
            words={TYPES}
            value={field.type ?? 'string'}
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
          {...tickBox(field.required === true, (is) => set('required', is || undefined))}
        />
        {!isGroup && (
          <Checkbox
            label="Identifies the row"
            {...tickBox(field.key === true, (is) => set('key', is || undefined))}
          />
        )}
      </div>
    </>
  );
}
