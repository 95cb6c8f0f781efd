import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call, useChange } from '../api/call.ts';
import { plural, localText } from '../format/format.ts';
import { FormDialog } from '../parts/form-dialog.tsx';

const DAY_MS = 86_400_000;

interface BackfillDialogProps {
  cronId: string;
  /** The queries that show firings. */
  stale: readonly string[];
  onClose: () => void;
}

/** Makes up for the firings of a time in the past. */
export function BackfillDialog({ cronId, stale, onClose }: BackfillDialogProps) {
  const form = useForm({
    initialValues: { from: localText(Date.now() - DAY_MS), to: localText(Date.now()) },
  });
  const { from, to } = form.values;
  const backfill = useChange(
    () =>
      call('backfillCron', {
        params: { id: cronId },
        body: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      }),
    { stale },
  );
  return (
    <FormDialog
      title="Backfill"
      onClose={onClose}
      sent={backfill}
      onSubmit={() => backfill.mutate()}
      submit="Backfill"
      isReady={from !== '' && to !== '' && from < to}
    >
      <p className="soft">
        Runs the firings between these times that had no run: one after another, oldest first, at most 100.
        The times are in your own time zone.
      </p>
      <div className="row">
        <TextInput type="datetime-local" label="From" {...form.getInputProps('from')} />
        <TextInput type="datetime-local" label="To" {...form.getInputProps('to')} />
      </div>
      {backfill.data && (
        <p role="status">
          {backfill.data.queued === 0
            ? 'Nothing to run: every firing in this period has run.'
            : `${plural(backfill.data.queued, 'firing waits', 'firings wait')} to run.`}
        </p>
      )}
    </FormDialog>
  );
}
