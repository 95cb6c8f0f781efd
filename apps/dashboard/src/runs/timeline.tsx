import type { CallOutput } from '../api/call.ts';
import { formatDuration } from '../format/format.ts';
import styles from './timeline.module.css';

type Job = CallOutput<'getJob'>;
export type Phases = NonNullable<Job['phases']>;

/** One bar of a timeline. */
interface Span {
  name: string;
  ms: number;
  kind: 'wait' | 'run';
}

const PHASES: readonly [keyof Phases, string, Span['kind']][] = [
  ['pause_ms', 'Paused, as the host asked or after a failure', 'wait'],
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

function timeBetween(start: string, end: string): number {
  return Math.max(0, Date.parse(end) - Date.parse(start));
}

function sumOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { ms }) => sum + ms, 0);
}

/** Storing takes no longer; what is beyond was not measured. */
const LONGEST_STORING_MS = 5_000;

/**
 * A job from its creation to its end. What the phases leave is the storing of the outcome, or after several attempts
 * the earlier ones with their pauses: only the last attempt is measured.
 */
export function jobSpans({
  created_at: createdAt,
  started_at: startedAt,
  finished_at: finishedAt,
  ...job
}: Pick<Job, 'created_at' | 'started_at' | 'finished_at' | 'attempts' | 'mode' | 'phases'>): Span[] {
  if (startedAt === null) return [];
  const { attempts, mode, phases } = job;
  const waited: Span = { name: 'Queued', ms: timeBetween(createdAt, startedAt), kind: 'wait' };
  if (finishedAt === null) return [waited];
  const ran = timeBetween(startedAt, finishedAt);
  const measured = phaseSpans(phases ?? undefined);
  if (measured.length === 0) {
    const name = attempts > 1 ? `Fetched and read, ${attempts} attempts` : 'Fetched and read';
    return [waited, { name, ms: ran, kind: 'run' }];
  }
  const rest = Math.max(0, ran - sumOf(measured));
  if (attempts > 1)
    return [
      waited,
      {
        name: phases?.pause_ms === undefined ? 'Earlier attempts and pauses' : 'Earlier attempts',
        ms: rest,
        kind: 'wait',
      },
      ...measured,
    ];
  const stored = mode === 'database' ? 'Writing to the table' : 'Storing the outcome';
  const name = rest > LONGEST_STORING_MS ? 'Waiting, and storing the outcome' : stored;
  return [waited, ...measured, { name, ms: rest, kind: 'run' }];
}

/** Bars of the same scale, one after the other. */
export function Timeline({ spans }: { spans: readonly Span[] }) {
  const total = Math.max(1, sumOf(spans));
  let before = 0;
  return (
    <ol className={styles.timeline} aria-label="Timeline">
      {spans.map(({ name, ms, kind }) => {
        const left = (before / total) * 100;
        before += ms;
        return (
          <li key={name}>
            <span className="soft">{name}</span>
            <span className={styles.track} aria-hidden>
              <i
                className={styles[kind]}
                style={{ left: `min(${left}%, 100% - 2px)`, width: `max(2px, ${(ms / total) * 100}%)` }}
              />
            </span>
            <span className="num">{formatDuration(ms)}</span>
          </li>
        );
      })}
    </ol>
  );
}
