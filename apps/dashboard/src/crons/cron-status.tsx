import type { CallOutput } from '../api/call.ts';
import { Status } from '../parts/page.tsx';

type Cron = Pick<CallOutput<'getCron'>, 'enabled' | 'paused_reason'>;

/** Whether a cron fires, and why not. */
export function CronStatus({ cron: { enabled, paused_reason: reason } }: { cron: Cron }) {
  if (enabled) return <Status status="succeeded" word="active" />;
  if (reason === null) return <Status status="cancelled" word="paused" />;
  return (
    <span title={reason}>
      <Status status="attention" word="paused itself" />
    </span>
  );
}
