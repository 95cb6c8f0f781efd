import { Button, Select, TextInput } from '@mantine/core';
import type { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { CronDraft } from './cron-draft.ts';
import styles from './crons.module.css';
import { EveryField } from './every-field.tsx';
import { FiringStrip, usePreview } from './firing-strip.tsx';
import { Folded } from '../parts/folded.tsx';
import { textInput } from '../parts/forms.tsx';
import { sentenceOf } from './words.ts';

const COMMON = [
  { label: 'Every hour', schedule: '0 * * * *' },
  { label: 'Every day', schedule: '0 6 * * *' },
  { label: 'Weekdays', schedule: '0 6 * * MON-FRI' },
  { label: 'Every week', schedule: '0 6 * * MON' },
  { label: 'Every month', schedule: '0 6 1 * *' },
];

const NOT_CRON = 'Five parts, such as 30 6 * * MON-FRI';

/** A schedule with its zone: in words, and as the next ten times at which it fires. */
export function ScheduleField({ form }: { form: ReturnType<typeof useForm<CronDraft>> }) {
  const { schedule, refused: distance, zone } = form.values;
  const setSchedule = (next: string): void => form.setValues({ schedule: next, refused: undefined });
  const [zones] = useState(() => [...new Set([zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]);
  const [settled] = useDebouncedValue(schedule, 200);
  const preview = usePreview(settled, zone);
  const sentence = sentenceOf(schedule);
  const malformed = sentence === undefined ? NOT_CRON : undefined;
  const refused = preview.error === null ? undefined : toProblem(preview.error);
  // A service that does not answer says nothing of the schedule.
  const fault = refused?.body.field === undefined ? undefined : refused.body.detail;
  return (
    <fieldset className={`${styles.field} stack tight`}>
      <div className="row wrap top">
        <EveryField
          schedule={schedule}
          refused={distance}
          onChange={setSchedule}
          onRefused={(next) => form.setFieldValue('refused', next)}
        />
        <Select
          label="Time zone"
          searchable
          data={zones}
          allowDeselect={false}
          limit={80}
          {...form.getInputProps('zone')}
          w={240}
        />
      </div>
      <div className="row wrap tight">
        {COMMON.map((common) => (
          <Button
            key={common.label}
            variant={common.schedule === schedule ? 'light' : 'default'}
            size="compact-xs"
            onClick={() => setSchedule(common.schedule)}
          >
            {common.label}
          </Button>
        ))}
      </div>
      <Folded title="Cron syntax" note={schedule} isFaulty={fault !== undefined || malformed !== undefined}>
        <TextInput
          label="Schedule"
          description="Minute, hour, day, month, weekday"
          classNames={{ input: 'mono' }}
          {...textInput(schedule, setSchedule)}
          error={malformed ?? (settled === schedule ? fault : undefined)}
          w={280}
        />
      </Folded>
      <p role="status" className={styles.sentence}>
        {fault === undefined && distance === undefined && sentence !== undefined && (
          <strong>
            {sentence}, {zone}
          </strong>
        )}
      </p>
      {fault === undefined && distance === undefined && preview.data && (
        // Times of the previous schedule stay until the new ones arrive, without notes: they describe another schedule.
        <div className={styles.preview} aria-busy={preview.isPlaceholderData}>
          <FiringStrip
            times={preview.data.times}
            zone={zone}
            schedule={preview.isPlaceholderData ? '' : settled}
          />
          {!preview.isPlaceholderData && preview.data.note !== null && (
            <p className="soft small">The schedule {preview.data.note}.</p>
          )}
        </div>
      )}
    </fieldset>
  );
}
