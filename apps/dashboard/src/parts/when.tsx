import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { formatClock, formatExact, formatMoment, formatWhen } from '../format/format.ts';

const TICK_MS = 10_000;

function subscribeTick(notify: () => void): () => void {
  const timer = setInterval(notify, TICK_MS);
  return () => clearInterval(timer);
}

function tickNow(): number {
  return Math.floor(Date.now() / TICK_MS) * TICK_MS + TICK_MS;
}

interface WhenProps {
  at: string | null;
  /** Never relative: a name for what began then. */
  isName?: boolean;
  /** The time of day: when something happens next. */
  isClock?: boolean;
}

/** A moment: relative or short, with the exact time and its UTC on hover. */
export function When({ at, isName = false, isClock = false }: WhenProps) {
  const now = useSyncExternalStore(subscribeTick, tickNow);
  if (at === null) return <span className="soft">–</span>;
  return (
    <Tooltip label={<span className="lines">{formatExact(at)}</span>}>
      <time dateTime={at}>{isClock ? formatClock(at) : isName ? formatMoment(at) : formatWhen(at, now)}</time>
    </Tooltip>
  );
}
