import type { ResultMode } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';

export type Phases = NonNullable<CallOutput<'getJob'>['phases']>;

/** One bar of a timeline. */
export interface Span {
  name: string;
  ms: number;
  kind: 'wait' | 'run';
}

const PHASES: readonly [keyof Phases, string, Span['kind']][] = [
  ['host_wait_ms', 'Waited for the site’s turn', 'wait'],
  ['connect_ms', 'Connecting', 'run'],
  ['first_byte_ms', 'First byte', 'run'],
  ['download_ms', 'Download', 'run'],
  ['render_ms', 'Loading in the browser', 'run'],
  ['parse_ms', 'Parsing', 'run'],
];

/** The measured phases of a task's last attempt, in their order. A phase that was not measured has no bar. */
export function phaseSpans(phases: Phases | undefined): Span[] {
  return PHASES.flatMap(([key, name, kind]) => {
    const ms = phases?.[key];
    if (ms === undefined) return [];
    // A client for proxies does not report when it is connected.
    const isWithConnecting = key === 'first_byte_ms' && phases?.connect_ms === undefined;
    return [{ name: isWithConnecting ? 'Connecting and first byte' : name, ms, kind }];
  });
}

interface Taken {
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  attempts: number;
  mode: ResultMode;
  phases: Phases | null;
}

/**
 * A job from its creation to its end. What the phases leave is the storing of the outcome, or after several attempts
 * the earlier ones with their pauses: only the last attempt is measured.
 */
export function jobSpans({ createdAt, startedAt, finishedAt, attempts, mode, phases }: Taken): Span[] {
  if (startedAt === null) return [];
  const waited: Span = {
    name: 'Queued',
    ms: Math.max(0, Date.parse(startedAt) - Date.parse(createdAt)),
    kind: 'wait',
  };
  if (finishedAt === null) return [waited];
  const ran = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  const measured = phaseSpans(phases ?? undefined);
  if (measured.length === 0) {
    const name = attempts > 1 ? `Fetched and read, ${attempts} attempts` : 'Fetched and read';
    return [waited, { name, ms: ran, kind: 'run' }];
  }
  const rest = Math.max(0, ran - measured.reduce((sum, { ms }) => sum + ms, 0));
  if (attempts > 1)
    return [waited, { name: 'Earlier attempts and pauses', ms: rest, kind: 'wait' }, ...measured];
  const name = mode === 'database' ? 'Writing to the table' : 'Storing the outcome';
  return [waited, ...measured, { name, ms: rest, kind: 'run' }];
}
