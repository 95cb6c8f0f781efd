import { Tooltip } from '@mantine/core';
import { useSyncExternalStore, type ReactNode } from 'react';
import { capitalised, shortId } from '../format/shorten.ts';
import { formatNumber } from '../format/number.ts';
import { formatExact, formatMoment, formatWhen } from '../format/time.ts';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconClock,
  IconLoader2,
} from './icons.ts';

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
}

/** A moment: relative or short, with the exact time and its UTC on hover. */
export function When({ at, isName = false }: WhenProps) {
  const now = useSyncExternalStore(subscribeTick, tickNow);
  if (at === null) return <span className="soft">–</span>;
  return (
    <Tooltip label={<span className="lines">{formatExact(at)}</span>}>
      <time dateTime={at}>{isName ? formatMoment(at) : formatWhen(at, now)}</time>
    </Tooltip>
  );
}

/** `bat_…3hsn` with the whole identifier on hover. */
export function Id({ id }: { id: string }) {
  return (
    <code title={id} className="soft">
      {shortId(id)}
    </code>
  );
}

const STATUS = {
  pending: { word: 'waiting', icon: <IconClock size={14} /> },
  running: { word: 'running', icon: <IconLoader2 size={14} className="spin" /> },
  succeeded: { word: 'succeeded', icon: <IconCircleCheck size={14} /> },
  delivered: { word: 'delivered', icon: <IconCircleCheck size={14} /> },
  failed: { word: 'failed', icon: <IconCircleX size={14} /> },
  cancelled: { word: 'cancelled', icon: <IconCircleMinus size={14} /> },
  attention: { word: 'needs attention', icon: <IconAlertTriangle size={14} /> },
} satisfies Record<string, { word: string; icon: ReactNode }>;

export type StatusName = keyof typeof STATUS;

/** The choices of a filter by state. */
export function statusChoices<S extends StatusName>(states: readonly S[]): { value: S; label: string }[] {
  return states.map((value) => ({ value, label: capitalised(STATUS[value].word) }));
}

/** A state as icon, word and colour. */
export function Status({ status, word }: { status: StatusName; word?: string }) {
  return (
    <span className={`status ${status}`}>
      {STATUS[status].icon}
      {word ?? STATUS[status].word}
    </span>
  );
}

/** The state of a run of many inputs: succeeded with failures is not simply green. */
export function RunStatus({ status, failed }: { status: StatusName; failed: number }) {
  if (status !== 'succeeded' || failed === 0) return <Status status={status} />;
  return <Status status="attention" word={`finished, ${formatNumber(failed)} failed`} />;
}
