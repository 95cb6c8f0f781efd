import { NumberInput, Select } from '@mantine/core';
import { choicesOf } from '../parts/choices.ts';
import { everyOf, scheduleOfEvery, type Every, type EveryUnit, type RefusedEvery } from './every.ts';

const UNITS = { minutes: 'minutes', hours: 'hours' } satisfies Record<EveryUnit, string>;

interface EveryFieldProps {
  schedule: string;
  refused: RefusedEvery | undefined;
  onChange: (schedule: string) => void;
  onRefused: (refused: RefusedEvery | undefined) => void;
}

/** A schedule as "every 5 minutes". Empty for a schedule that is none of these; an uneven distance is refused here. */
export function EveryField({ schedule, refused, onChange, onRefused }: EveryFieldProps) {
  const shown = refused ?? everyOf(schedule);
  const change = (every: Every): void => {
    const made = scheduleOfEvery(every);
    onRefused('fault' in made ? { ...every, schedule } : undefined);
    if ('schedule' in made) onChange(made.schedule);
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
