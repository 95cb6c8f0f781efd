import { PAUSABLE_QUEUES } from '@gleaner/contracts/values';
import { call, useChange } from '../api/call.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconPlayerPause, IconPlayerPlay } from '../parts/icons.ts';

/** Pauses a queue of work, or lets it go on. */
export function QueuePause({ name, isPaused }: { name: string; isPaused: boolean }) {
  const queue = PAUSABLE_QUEUES.find((one) => one === name);
  const resume = useChange(
    async () => queue && call('setQueuePause', { params: { queue }, body: { paused: false } }),
    { stale: ['getSystemHealth'] },
  );
  if (queue === undefined) return null;
  if (isPaused)
    return (
      <ActionButton icon={IconPlayerPlay} isSmall loading={resume.isPending} onClick={() => resume.mutate()}>
        Resume
      </ActionButton>
    );
  return (
    <ConfirmButton
      icon={IconPlayerPause}
      label="Pause"
      isSmall
      title={`Pause ${queue}`}
      action="Pause queue"
      run={() => call('setQueuePause', { params: { queue }, body: { paused: true } })}
      stale={['getSystemHealth']}
    >
      Nothing of it starts until you resume it, also after restarts. Pages that are being fetched end.
      {queue.startsWith('interactive') && ' Calls that wait for an answer are refused with 503.'}
    </ConfirmButton>
  );
}
