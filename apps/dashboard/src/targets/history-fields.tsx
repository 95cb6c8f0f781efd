import type { MissingRule } from '@gleaner/contracts/values';
import { NumberInput } from '@mantine/core';
import { Choice } from '../parts/forms.tsx';
import type { HistoryChoice } from './sink.ts';

const MISSING_WORDS = {
  keep: 'Keep them',
  mark: 'Mark them as gone',
  delete: 'Delete them',
} satisfies Record<MissingRule, string>;

/** As the service has it. */
const DEFAULT_PERCENT = 30;

interface HistoryFieldsProps {
  value: HistoryChoice;
  onChange: (value: HistoryChoice) => void;
}

/** What becomes of rows of a table with history that their pages give no more. */
export function HistoryFields({ value, onChange }: HistoryFieldsProps) {
  const { missing = 'keep', removed } = value;
  return (
    <div className="row wrap top" role="group" aria-label="Changes of the table">
      <Choice
        label="Rows that their pages give no more"
        words={MISSING_WORDS}
        value={missing}
        onChange={(rule) => onChange({ ...value, missing: rule })}
        w={240}
      />
      {missing !== 'keep' && (
        <NumberInput
          label="Ask when more would go than"
          suffix=" %"
          min={0}
          max={100}
          placeholder={`${DEFAULT_PERCENT} %`}
          value={removed === undefined ? '' : removed * 100}
          onChange={(percent) =>
            onChange({ ...value, removed: typeof percent === 'number' ? percent / 100 : undefined })
          }
          w={200}
        />
      )}
    </div>
  );
}
