import { formatNumber } from '../format/format.ts';
import styles from './crons.module.css';
import { resultOf, type Firing, type Result, CAUSE_WORDS, OUTCOMES, reasonOf } from './words.ts';
import { Button } from '@mantine/core';
import { useState, useEffect } from 'react';
import { AlarmBadge, type AlarmBadgeProps } from '../alarms/alarm-badge.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Loading, RunStatus, Status } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { useInfiniteQuery } from '@tanstack/react-query';
import { listQuery, type CallOutput } from '../api/call.ts';
import { parserIdOf } from '../targets/target.ts';

const DAYS = 91;
/** The best first. */
const ORDER: readonly Result[] = ['started', 'queued', 'skipped', 'missed', 'faulty', 'failed'];

type Counts = Partial<Record<Result, number>>;

const DAY_MS = 86_400_000;

function dayIn(zone: string): (at: string | number) => string {
  // The Swedish form is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  return (at) => format.format(new Date(at));
}

/** The days that end today in the zone of the cron, oldest first, each with what fired on it and the worst of that. */
export function groupByDay(
  firings: readonly Pick<Firing, 'scheduled_at' | 'outcome' | 'run'>[],
  { zone, days, now }: { zone: string; days: number; now: number },
) {
  const dayOf = dayIn(zone);
  const grouped = Map.groupBy(firings, (firing) => dayOf(firing.scheduled_at));
  // Counted in UTC from today's date: a day of the zone may have 23 or 25 hours.
  const today = Date.parse(`${dayOf(now)}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const counts: Counts = {};
    for (const result of (grouped.get(date) ?? []).map(resultOf)) counts[result] = (counts[result] ?? 0) + 1;
    return { date, counts, worst: ORDER.findLast((result) => counts[result] !== undefined) };
  });
}

/** `3 started`, for each result. */
function wordsOf(counts: Counts): { result: Result; words: string }[] {
  const found = ORDER.filter((result) => counts[result] !== undefined);
  return found.map((result) => {
    const word = result === 'faulty' ? 'with failed pages' : OUTCOMES[result].word;
    return { result, words: `${formatNumber(counts[result] ?? 0)} ${word}` };
  });
}

function textOf(counts: Counts): string {
  const found = wordsOf(counts);
  return found.map(({ words }) => words).join(', ');
}

const FIRST = 20;

/** The failed inputs of a firing's run, which lead to their causes. */
function FailedLink({ firing: { run, run_id: runId } }: { firing: Firing }) {
  if (!run || runId === null) return <span className="soft">–</span>;
  if (run.failed === 0) return <span className="soft">0</span>;
  return (
    <RunLink id={runId} tab="failures" className="bad-text">
      {formatNumber(run.failed)}
    </RunLink>
  );
}

interface FiringOutcomeProps extends Pick<AlarmBadgeProps, 'isSaid'> {
  firing: Firing;
  parserId: string | undefined;
}

/** What became of a firing: of its run, when it has one. */
export function FiringOutcome({ firing, parserId, isSaid }: FiringOutcomeProps) {
  const { outcome, run, fired_at: firedAt } = firing;
  if (outcome !== 'started' || run === null) return <Status {...OUTCOMES[outcome]} />;
  if (run.status !== 'succeeded' || run.failed > 0 || run.held > 0)
    return <RunStatus status={run.status} failed={run.failed} held={run.held} isCounted />;
  if (run.publication === 'held') return <Status status="attention" word="removals wait" />;
  return (
    <AlarmBadge parserId={parserId} until={firedAt} isSaid={isSaid}>
      <Status status="succeeded" />
    </AlarmBadge>
  );
}

function columnsOf(parserId: string | undefined, firings: readonly Firing[]): PlainColumn<Firing>[] {
  const hasReasons = firings.some((firing) => reasonOf(firing) !== '');
  return [
    { header: 'Due', cell: ({ scheduled_at: at }) => <When at={at} /> },
    { header: 'Outcome', cell: (firing) => <FiringOutcome firing={firing} parserId={parserId} /> },
    { header: 'Fired', className: 'soft', cell: ({ cause }) => CAUSE_WORDS[cause] },
    {
      header: 'Succeeded',
      align: 'right',
      cell: ({ run }) =>
        run === null ? (
          <span className="soft">–</span>
        ) : (
          `${formatNumber(run.succeeded)} / ${formatNumber(run.total)}`
        ),
    },
    { header: 'Failed', align: 'right', cell: (firing) => <FailedLink firing={firing} /> },
    { header: 'Run', cell: ({ run_id: id }) => id !== null && <RunLink id={id}>Open the run</RunLink> },
    ...(hasReasons ? [{ header: 'Reason', className: 'soft', title: reasonOf, cell: reasonOf }] : []),
  ];
}

/** The last thirteen weeks: a square for each day, coloured by the worst that happened on it. */
function FiringCalendar({ firings, zone }: { firings: readonly Firing[]; zone: string }) {
  const days = groupByDay(firings, { zone, days: DAYS, now: Date.now() });
  const first = days[0];
  // Columns are weeks that begin on Monday.
  const lead = first === undefined ? 0 : (new Date(`${first.date}T00:00:00Z`).getUTCDay() + 6) % 7;
  const total: Counts = {};
  for (const { counts } of days)
    for (const result of ORDER)
      if (counts[result] !== undefined) total[result] = (total[result] ?? 0) + counts[result];
  return (
    <div className="row wrap bottom">
      <div
        className={styles.calendar}
        role="img"
        aria-label={`The last 13 weeks: ${textOf(total) || 'nothing has fired'}`}
      >
        {Array.from({ length: lead }, (_, index) => (
          <span key={`lead${index}`} />
        ))}
        {days.map(({ date, counts, worst }) => (
          <i
            key={date}
            className={worst && styles[worst]}
            title={`${date}: ${textOf(counts) || 'nothing'}`}
          />
        ))}
      </div>
      <ul className={`${styles.legend} small`}>
        {wordsOf(total).map(({ result, words }) => (
          <li key={result}>
            <i className={styles[result]} /> {words}
          </li>
        ))}
        {Object.keys(total).length === 0 && <li className="soft">Nothing has fired in 13 weeks.</li>}
      </ul>
    </div>
  );
}

const LIVE_MS = 5_000;
/** Pages of firings that the calendar reads on its own: a cron of every five minutes has many. */
const CALENDAR_PAGES = 5;

/** The firings of a cron: a calendar of the last weeks, and a table, newest first, of what became of each. */
export function PastFirings({ cron }: { cron: CallOutput<'getCron'> }) {
  const query = useInfiniteQuery({
    ...listQuery('listCronRuns', { params: { id: cron.id } }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : LIVE_MS),
  });
  const { hasNextPage, isFetching, fetchNextPage, data } = query;
  const [limit, setLimit] = useState(FIRST);
  const isForCalendar = (data?.pages.length ?? 0) < CALENDAR_PAGES;
  useEffect(() => {
    if (hasNextPage && !isFetching && isForCalendar) void fetchNextPage();
  }, [hasNextPage, isFetching, isForCalendar, fetchNextPage]);
  const firings = data?.pages.flatMap(({ runs }) => runs) ?? [];
  const shown = firings.slice(0, limit);
  const isCut = firings.length > limit;
  return (
    <section aria-label="Past firings" className="stack">
      <h2>Past firings</h2>
      <FiringCalendar firings={firings} zone={cron.timezone} />
      {query.isPending && <Loading what="the firings" />}
      {data && firings.length === 0 && <p className="soft">Nothing has fired yet.</p>}
      {shown.length > 0 && (
        <PlainTable
          label="Firings"
          rows={shown}
          rowKey={({ id }) => id}
          columns={columnsOf(parserIdOf(cron.target), shown)}
        />
      )}
      {(isCut || (hasNextPage && !isForCalendar)) && (
        <div>
          <Button variant="default" onClick={() => (isCut ? setLimit(limit + 100) : void fetchNextPage())}>
            Show earlier firings
          </Button>
        </div>
      )}
    </section>
  );
}
