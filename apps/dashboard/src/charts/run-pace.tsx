import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';
import { Bars } from './bars.tsx';
import styles from './charts.module.css';
import { paceOf } from './run-minutes.ts';
import { Sparks } from './spark.tsx';

const LIVE_MS = 5_000;

function rateText(perMinute: number): string {
  return perMinute < 10 ? perMinute.toFixed(1) : formatNumber(Math.round(perMinute));
}

interface RunPaceProps {
  runId: string;
  isLive: boolean;
}

/** How fast a run read its pages, and when which of them failed; nothing after a week, or while all is in one minute. */
export function RunPace({ runId, isLive }: RunPaceProps) {
  const query = useQuery({
    ...operationQuery('getRunPace', { params: { id: runId } }),
    refetchInterval: isLive ? LIVE_MS : false,
  });
  const minutes = query.data?.minutes ?? [];
  if (minutes.length < 2) return null;
  const { bars, causes, ticks, perMinute } = paceOf(minutes);
  return (
    <section aria-label="Pace" className="stack tight">
      <h2>
        Pace <span className="soft small">{rateText(perMinute)} pages a minute</span>
      </h2>
      <Bars label={`Pages a minute, ${rateText(perMinute)} in the mean`} bars={bars} ticks={ticks} />
      {causes.map(({ error, count, sparks }) => (
        <div key={error} className={styles.cause}>
          <span className="bad-text small">
            {error} <span className="soft">{formatNumber(count)}</span>
          </span>
          <Sparks label={`${error} over the same time`} sparks={sparks} isBad />
        </div>
      ))}
    </section>
  );
}
