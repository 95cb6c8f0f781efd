import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { Failure } from '../parts/states.tsx';

const DAY_MS = 86_400_000;

/** The form of `datetime-local`, in the reader's own zone. */
function localText(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface BackfillDialogProps {
  cronId: string;
  opened: boolean;
  onClose: () => void;
  onQueued: () => void;
}

/** Makes up for the firings of a time in the past. */
export function BackfillDialog({ cronId, opened, onClose, onQueued }: BackfillDialogProps) {
  const [from, setFrom] = useState(() => localText(Date.now() - DAY_MS));
  const [to, setTo] = useState(() => localText(Date.now()));
  const backfill = useMutation({
    mutationFn: () =>
      call('backfillCron', {
        params: { id: cronId },
        body: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      }),
    onSuccess: onQueued,
  });
  const isReady = from !== '' && to !== '' && from < to;
  return (
    <Modal opened={opened} onClose={onClose} title="Backfill">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) backfill.mutate();
        }}
      >
        <p className="soft">
          Firings between these times that made no run are run now, one after another, oldest first: 100 at
          most. The times are those of your own clock.
        </p>
        <div className="row">
          <TextInput
            type="datetime-local"
            label="From"
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label="To"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </div>
        {backfill.error !== null && <Failure error={backfill.error} />}
        {backfill.data && (
          <p role="status">
            {backfill.data.queued === 0
              ? 'Nothing to make up: every firing in this time has run.'
              : `${plural(backfill.data.queued, 'firing waits', 'firings wait')} to run.`}
          </p>
        )}
        <div>
          <Button type="submit" disabled={!isReady} loading={backfill.isPending}>
            Backfill
          </Button>
        </div>
      </form>
    </Modal>
  );
}
