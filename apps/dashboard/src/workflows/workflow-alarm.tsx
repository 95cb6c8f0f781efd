import type { ReactNode } from 'react';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { alarmsOf } from '../alarms/alarms.ts';
import { useAlarms } from '../alarms/use-alarms.ts';
import { parsersOf, type Stage } from './stages.ts';

interface WorkflowAlarmProps {
  stages: readonly Stage[];
  /** When the run ended; absent for what goes on. */
  until?: string | null;
  /** Shown when there is no alarm. */
  children?: ReactNode;
}

/** That a parser of a workflow no longer reads what it did. */
export function WorkflowAlarm({ stages, until, children }: WorkflowAlarmProps) {
  const alarms = useAlarms();
  const parserId = parsersOf(stages).find((id) => alarmsOf(alarms, { parserId: id, until }).length > 0);
  return (
    <AlarmBadge parserId={parserId} until={until}>
      {children}
    </AlarmBadge>
  );
}
