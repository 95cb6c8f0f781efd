import type { CallOutput } from '../api/call.ts';
import type { Bar } from './scale.ts';
import { CLOCK, formatNumber, plural } from '../format/format.ts';

export const PERIODS = {
  day: { label: '24 hours', steps: 24, group: 'hour', every: 6 },
  week: { label: '7 days', steps: 168, group: 'hour', every: 24 },
  month: { label: '30 days', steps: 30, group: 'day', every: 7 },
} as const;
export type Period = keyof typeof PERIODS;

type Usage = Pick<CallOutput<'getUsage'>['usage'][number], 'from' | 'pages'>;

const HOUR_MS = 3_600_000;

/** When each hour or day of a period begins, the present one last. Days begin at the reader's midnight. */
export function stepsOf(period: Period, now: number): number[] {
  const { steps, group } = PERIODS[period];
  return Array.from({ length: steps }, (_, index) => {
    const back = steps - 1 - index;
    if (group === 'hour') return (Math.floor(now / HOUR_MS) - back) * HOUR_MS;
    const date = new Date(now);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() - back);
    return date.getTime();
  });
}

/** A time with its day of the week. */
export const dayClock = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  ...CLOCK,
});
const clock = new Intl.DateTimeFormat(undefined, CLOCK);
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** What succeeded and failed in each hour or day. */
export function barsOf(usage: readonly Usage[], period: Period, now: number): Bar[] {
  const steps = stepsOf(period, now);
  const format = PERIODS[period].group === 'hour' ? dayClock : day;
  return steps.map((from, index) => {
    const to = steps[index + 1] ?? Number.POSITIVE_INFINITY;
    const within = usage.filter(({ from: at }) => Date.parse(at) >= from && Date.parse(at) < to);
    const good = within.reduce((sum, { pages }) => sum + pages.succeeded, 0);
    const bad = within.reduce((sum, { pages }) => sum + pages.failed, 0);
    const title = `${format.format(from)}: ${plural(good, 'page')}${bad > 0 ? `, ${formatNumber(bad)} failed` : ''}`;
    return { key: String(from), title, good, bad };
  });
}

/** What stands under the bars: hours of a day, days of a week, dates of a month. */
export function ticksOf(period: Period, now: number): { index: number; text: string }[] {
  const { every, group } = PERIODS[period];
  return stepsOf(period, now).flatMap((at, index, steps) => {
    if (group === 'day') {
      const isShown = (steps.length - 1 - index) % every === 0;
      return isShown ? [{ index, text: index === steps.length - 1 ? 'today' : day.format(at) }] : [];
    }
    const hours = new Date(at).getHours();
    // The middle of each day, so that its name is under it.
    if (period === 'week') return hours === 12 ? [{ index, text: weekday.format(at) }] : [];
    return hours % every === 0 ? [{ index, text: clock.format(at) }] : [];
  });
}
