import { CHANGE_KINDS, type ChangeKind, type ChangeTest } from '@gleaner/contracts/values';
import { Checkbox, TextInput } from '@mantine/core';
import { KIND_CHOICES } from '../changes/change-parts.tsx';
import { Choice, textInput } from '../parts/forms.tsx';
import type { ChangeFilterDraft } from './change-filter.ts';

const TESTS = {
  changed: 'changes',
  rises: 'rises',
  falls: 'falls',
  crosses: 'crosses',
} satisfies Record<ChangeTest, string>;

interface ChangeFilterFieldsProps {
  draft: ChangeFilterDraft;
  onChange: (draft: ChangeFilterDraft) => void;
}

/** Which changed rows are reported: of a table, of some kinds, when a value does something. */
export function ChangeFilterFields({ draft, onChange }: ChangeFilterFieldsProps) {
  const { table, kinds, column, op, amount } = draft;
  const set = (change: Partial<ChangeFilterDraft>): void => onChange({ ...draft, ...change });
  return (
    <div role="group" aria-label="Changed rows" className="stack tight">
      <TextInput
        label="Only changes of the table"
        placeholder="any table that keeps its changes"
        {...textInput(table, (next) => set({ table: next }))}
      />
      <div className="row wrap bottom">
        <TextInput
          label="Only when the value of"
          placeholder="any column"
          w={150}
          {...textInput(column, (next) => set({ column: next }))}
        />
        <Choice
          aria-label="What it does"
          words={TESTS}
          value={op}
          w={110}
          onChange={(next) => set({ op: next })}
        />
        <TextInput
          aria-label={op === 'crosses' ? 'The bound' : 'By at least'}
          placeholder={op === 'crosses' ? 'a number' : 'by any amount, 5% or 2.5'}
          w={190}
          {...textInput(amount, (next) => set({ amount: next }))}
        />
      </div>
      <Checkbox.Group
        label="Only rows that are"
        value={kinds}
        onChange={(next) => set({ kinds: CHANGE_KINDS.filter((kind: ChangeKind) => next.includes(kind)) })}
      >
        <div className="row wrap">
          {KIND_CHOICES.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label.toLowerCase()} />
          ))}
        </div>
      </Checkbox.Group>
    </div>
  );
}
