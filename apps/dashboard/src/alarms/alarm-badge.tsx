import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Status } from '../parts/page.tsx';
import { alarmsOf, explain, useAlarms, wordOf } from './alarms.ts';

export interface AlarmBadgeProps {
  /** The parser, or those of which the first with an alarm is named. */
  parserId: string | readonly string[] | undefined;
  /** When the work ended; absent for what goes on. */
  until?: string | null;
  /** The work goes on, which the badge says too. */
  isRunning?: boolean;
  /** The alarm stands beside it already: nothing is shown in place of the state. */
  isSaid?: boolean | undefined;
  /** Shown when there is no alarm. */
  children?: ReactNode;
}

/** That a parser no longer reads what it did, in place of the state of its work; it leads to the parser's health. */
export function AlarmBadge(props: AlarmBadgeProps) {
  const { parserId: ids, until, isRunning = false, isSaid = false, children } = props;
  const all = useAlarms();
  const found = [ids].flat().map((parserId) => ({ parserId, alarms: alarmsOf(all, { parserId, until }) }));
  const { parserId, alarms = [] } = found.find((one) => one.alarms.length > 0) ?? {};
  const word = wordOf(alarms, isRunning);
  if (word === undefined || parserId === undefined) return <>{children}</>;
  if (isSaid) return null;
  const isBroken = alarms.some(({ state }) => state === 'broken');
  return (
    <Link to="/parsers/$parserId/health" params={{ parserId }} title={explain(alarms)} className="badge">
      <Status status={isBroken ? 'failed' : 'attention'} word={word} />
    </Link>
  );
}
