import { NumberInput, Select } from '@mantine/core';
import { choicesOf } from '../parts/choices.ts';
import { everyOf, scheduleOfEvery, type Every, type EveryUnit } from './every.ts';

const UNITS = { minutes: 'minutes', hours: 'hours' } satisfies Record<EveryUnit, string>;

interface EveryFieldProps {
  schedule: string;
  /** The distance that was typed last, if it was refused. */
  refused: Every | undefined;
  onChange: (schedule: string) => void;
  onRefused: (refused: Every) => void;
}

/** A schedule as "every 5 minutes". Empty for a schedule that is none of these; an uneven distance is refused here. */
export function EveryField({ schedule, refused, onChange, onRefused }: EveryFieldProps) {
  const shown = refused ?? everyOf(schedule);
  const change = (every: Every): void => {
    const made = scheduleOfEvery(every);
    if ('fault' in made) onRefused(every);
    else onChange(made.schedule);
  };
  const made = refused && scheduleOfEvery(refused);
  return (
    <div className="row wrap top">
      <NumberInput
        label="Every"
        hideControls
        allowDecimal={false}
        w={150}
        value={shown?.count ?? ''}
        error={made && 'fault' in made ? made.fault : undefined}
        onChange={(count) => change({ count: Number(count), unit: shown?.unit ?? 'minutes' })}
      />
      <Select
        label="Unit"
        data={choicesOf(UNITS)}
        allowDeselect={false}
        w={110}
        value={shown?.unit ?? null}
        onChange={(unit) =>
          change({ count: shown?.count ?? 5, unit: unit === 'hours' ? 'hours' : 'minutes' })
        }
      />
    </div>
  );
}
