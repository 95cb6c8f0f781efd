import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Status } from '../parts/page.tsx';
import { alarmsOf, explain, wordOf, type Concerned } from './alarms.ts';
import { useAlarms } from './use-alarms.ts';

interface AlarmBadgeProps extends Concerned {
  /** The work goes on, which the badge says too. */
  isRunning?: boolean;
  /** Shown when there is no alarm. */
  children?: ReactNode;
}

/** That a parser no longer reads what it did, in place of the state of its work; it leads to the parser's health. */
export function AlarmBadge({ children, isRunning = false, ...concerned }: AlarmBadgeProps) {
  const alarms = alarmsOf(useAlarms(), concerned);
  const word = wordOf(alarms, isRunning);
  if (word === undefined || concerned.parserId === undefined) return <>{children}</>;
  const isBroken = alarms.some(({ state }) => state === 'broken');
  return (
    <Link
      to="/parsers/$parserId/health"
      params={{ parserId: concerned.parserId }}
      title={explain(alarms)}
      className="badge"
    >
      <Status status={isBroken ? 'failed' : 'attention'} word={word} />
    </Link>
  );
}
