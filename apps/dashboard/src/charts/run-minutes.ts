import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/format.ts';
import { dayClock } from './periods.ts';
import type { Bar } from './scale.ts';
import type { Spark } from './spark.tsx';

type RunMinute = CallOutput<'getRunPace'>['minutes'][number];

const MINUTE_MS = 60_000;
/** Bars of a run, however long it took. */
const MOST_BARS = 60;

/** The minutes of a run in equal steps, from its first page to its last. */
interface Step {
  from: number;
  succeeded: number;
  /** By cause. */
  failures: ReadonlyMap<string, number>;
}

function failedIn({ failures }: Step): number {
  return [...failures.values()].reduce((sum, count) => sum + count, 0);
}

function stepsOf(minutes: readonly RunMinute[]): { steps: Step[]; width: number } {
  const times = minutes.map(({ at }) => Date.parse(at));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const width = Math.max(1, Math.ceil(((last - first) / MINUTE_MS + 1) / MOST_BARS));
  const count = Math.ceil(((last - first) / MINUTE_MS + 1) / width);
  const steps = Array.from({ length: count }, (_, index) => ({
    from: first + index * width * MINUTE_MS,
    succeeded: 0,
    failures: new Map<string, number>(),
  }));
  for (const [index, { succeeded, failures }] of minutes.entries()) {
    const step = steps[Math.floor(((times[index] ?? first) - first) / MINUTE_MS / width)];
    if (step === undefined) continue;
    step.succeeded += succeeded;
    for (const { error, count: more } of failures)
      step.failures.set(error, (step.failures.get(error) ?? 0) + more);
  }
  return { steps, width };
}

function titleOf(step: Step, width: number): string {
  const failed = [...step.failures].map(([error, count]) => `${formatNumber(count)} ${error}`);
  return `${dayClock.format(step.from)}${width > 1 ? `, ${width} minutes` : ''}: ${plural(step.succeeded, 'page')}${failed.map((one) => `, ${one}`).join('')}`;
}

/** What a chart of a run's pace shows: pages a minute, and each cause of failures over the same time, the most frequent first. */
export function paceOf(minutes: readonly RunMinute[]) {
  const { steps, width } = stepsOf(minutes);
  const bars = steps.map((step): Bar => ({
    key: String(step.from),
    title: titleOf(step, width),
    good: step.succeeded / width,
    bad: failedIn(step) / width,
  }));
  const totals = new Map<string, number>();
  for (const { failures } of steps)
    for (const [error, count] of failures) totals.set(error, (totals.get(error) ?? 0) + count);
  const causes = [...totals]
    .toSorted(([, one], [, other]) => other - one)
    .map(([error, count]) => {
      const own = steps.map(({ failures }) => failures.get(error) ?? 0);
      const most = Math.max(...own);
      const sparks = steps.map(({ from }, index): Spark => {
        const here = own[index] ?? 0;
        const title = `${dayClock.format(from)}: ${formatNumber(here)}`;
        return { key: String(from), title, share: here === 0 ? null : here / most };
      });
      return { error, count, sparks };
    });
  const pages = steps.reduce((sum, step) => sum + step.succeeded + failedIn(step), 0);
  const last = steps.length - 1;
  const ticks =
    last < 2 ? [] : [0, last].map((index) => ({ index, text: dayClock.format(steps[index]?.from) }));
  return { bars, causes, ticks, perMinute: pages / (steps.length * width) };
}
