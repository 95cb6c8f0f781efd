import { alarmsQuery } from '../alarms/alarms.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toProblem } from '../api/problem.ts';
import { IconAlertTriangle } from '../parts/icons.ts';
import { When } from '../parts/when.tsx';
import styles from './frame.module.css';

/**
 * Whether the service answers, as the frame's steady read finds it; undefined while it does, else when it last did.
 * Everything on the page is read again as soon as it answers.
 */
function useAwaySince(): number | undefined {
  const client = useQueryClient();
  const { error, failureReason, dataUpdatedAt } = useQuery({ ...alarmsQuery, enabled: false });
  const reason = error ?? failureReason;
  const isAway = reason !== null && [0, 502, 503, 504].includes(toProblem(reason).status);
  useEffect(() => {
    if (!isAway) return undefined;
    return () => {
      void client.invalidateQueries();
    };
  }, [isAway, client]);
  return isAway ? dataUpdatedAt : undefined;
}

/** Says that nothing on the page is up to date, and since when. */
export function AwayBanner() {
  const since = useAwaySince();
  if (since === undefined) return null;
  return (
    <div className={`notice bad ${styles.away}`} role="alert">
      <IconAlertTriangle size={16} color="var(--red)" aria-hidden className="notice-icon" />
      <div>
        <strong>Gleaner does not answer.</strong>{' '}
        {since > 0 && (
          <>
            What you see was read <When at={new Date(since).toISOString()} />.{' '}
          </>
        )}
        This page goes on by itself as soon as it answers again.
      </div>
    </div>
  );
}
