import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import type { CallOutput } from '../api/call.ts';
import { parserIdOf } from '../targets/target.ts';
import { Status } from '../parts/page.tsx';

type Cron = Pick<CallOutput<'getCron'>, 'enabled' | 'paused_reason' | 'target'>;

/** Whether a cron fires, and why not; or that its parser has an alarm. */
export function CronStatus({ cron: { enabled, paused_reason: reason, target } }: { cron: Cron }) {
  if (enabled)
    return (
      <AlarmBadge parserId={parserIdOf(target)}>
        <Status status="succeeded" word="active" />
      </AlarmBadge>
    );
  if (reason === null) return <Status status="cancelled" word="paused" />;
  return (
    <span title={reason}>
      <Status status="attention" word="paused itself" />
    </span>
  );
}
