import { queryOptions, useQuery } from '@tanstack/react-query';
import { operationQuery, type CallOutput } from '../api/call.ts';
import { plural } from '../format/format.ts';

export type Alarm = CallOutput<'listAlarms'>['alarms'][number];

/** The alarms that concern a parser, or that began before a run with it ended. */
export function alarmsOf(
  alarms: readonly Alarm[],
  { parserId, until }: { parserId: string | undefined; until?: string | null },
): Alarm[] {
  return alarms.filter(({ parser, since }) => parser.id === parserId && (until ?? since) >= since);
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

const LIVE_MS = 4_000;

const NONE: readonly Alarm[] = [];

export const alarmsQuery = queryOptions({
  ...operationQuery('listAlarms', {}),
  staleTime: LIVE_MS,
  refetchOnMount: false,
});

/**
 * The alarms of the account; none until they are read.
 * @param isLive reads them again every few seconds, for all who use them: the frame does
 */
export function useAlarms({ isLive = false } = {}): readonly Alarm[] {
  const { data } = useQuery({ ...alarmsQuery, refetchInterval: isLive ? LIVE_MS : false });
  return data?.alarms ?? NONE;
}
