import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/format.ts';

export type Alarm = CallOutput<'listAlarms'>['alarms'][number];

/** Work that may have met an alarm: a parser from now on, or a run until its end. */
export interface Concerned {
  parserId: string | undefined;
  /** When the work ended; absent for what goes on. */
  until?: string | null | undefined;
}

/** The alarms that concern a parser, or that began before a run with it ended. */
export function alarmsOf(alarms: readonly Alarm[], { parserId, until }: Concerned): Alarm[] {
  return alarms.filter(
    ({ parser, since }) =>
      parser.id === parserId && (until === undefined || until === null || until >= since),
  );
}

/** The worst of these alarms as a badge says it, beside the state of work that goes on. Undefined without an alarm. */
export function wordOf(alarms: readonly Alarm[], isRunning: boolean): string | undefined {
  if (alarms.length === 0) return undefined;
  const isBroken = alarms.some(({ state }) => state === 'broken');
  if (isRunning) return isBroken ? 'running, broken' : 'running, doubtful';
  return isBroken ? 'parser broken' : 'values doubtful';
}

/** What is wrong and where, one line for each host. */
export function explain(alarms: readonly Alarm[]): string {
  return alarms
    .map(
      ({ host, fields }) =>
        `${fields.map((path) => (path === '*' ? 'the whole page' : path)).join(', ')} on ${host}`,
    )
    .join('\n');
}

/** What is wrong with this number of parsers: `2 parsers no longer read what they did`. */
export function sayBroken(count: number): string {
  return `${plural(count, 'parser')} no longer ${count === 1 ? 'reads what it did' : 'read what they did'}`;
}
