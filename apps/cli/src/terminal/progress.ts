import { styleText } from 'node:util';
import { cleanCell } from './clean.ts';
import { hasColours } from './output.ts';

/** The values that a bar shows. */
export interface Progress {
  done: number;
  total: number;
  failed: number;
  /** Causes of the failures so far, most frequent first. */
  causes: readonly { error: string; count: number }[];
  /** Why it waits, in a few words. */
  remark?: string | undefined;
}

/** The rate is that of the last ten seconds. */
const WINDOW_MS = 10_000;
/** A pipe gets a line this often. */
const PLAIN_EVERY_MS = 5_000;
const BAR_WIDTH = 24;

/** Tasks per second over the last seconds; undefined before the first measurement. */
function createRate(): (done: number) => number | undefined {
  const points: { at: number; done: number }[] = [];
  return (done) => {
    const at = performance.now();
    points.push({ at, done });
    while (points.length > 2 && at - (points[1]?.at ?? at) >= WINDOW_MS) points.shift();
    const [first] = points;
    if (!first || at - first.at < 300) return undefined;
    return ((done - first.done) * 1000) / (at - first.at);
  };
}

function formatSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The words beside the bar: counts, rate, time left, failures by cause. */
function describeProgress(progress: Progress, rate: number | undefined): string {
  const { done, total, failed, causes, remark } = progress;
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  const parts = [`${percent}% ${done}/${total}`];
  if (rate !== undefined && rate > 0) {
    parts.push(`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)}/s`);
    if (done < total) parts.push(`${formatSeconds((total - done) / rate)} left`);
  }
  if (failed > 0) {
    const named = causes.slice(0, 3).map(({ error, count }) => `${error} ${count}`);
    parts.push(`${failed} failed${named.length > 0 ? ` (${named.join(', ')})` : ''}`);
  }
  if (remark !== undefined) parts.push(remark);
  return cleanCell(parts.join('  '));
}

function drawBar({ done, total, failed }: Progress, isColoured: boolean): string {
  const of = (count: number): number => (total === 0 ? BAR_WIDTH : Math.round((BAR_WIDTH * count) / total));
  const bad = Math.min(of(done), failed > 0 ? Math.max(1, of(failed)) : 0);
  const good = of(done) - bad;
  const paint = (colour: 'green' | 'red' | 'dim', text: string): string =>
    isColoured ? styleText(colour, text, { validateStream: false }) : text;
  return `${paint('green', '█'.repeat(good))}${paint('red', '█'.repeat(bad))}${paint('dim', '░'.repeat(BAR_WIDTH - good - bad))}`;
}

/** A bar on standard error that redraws itself on a terminal, and a line every few seconds in a pipe or log. */
export function createProgressView(label: string) {
  const stream = process.stderr;
  const rateOf = createRate();
  let printedAt = -Infinity;
  let last: string | undefined;
  return {
    update: (progress: Progress): void => {
      const rate = rateOf(progress.done);
      const words = describeProgress(progress, rate);
      if (stream.isTTY) {
        const room = Math.max(20, (stream.columns || 80) - BAR_WIDTH - 2);
        stream.write(`\r\u001B[2K${drawBar(progress, hasColours(stream))} ${words.slice(0, room)}`);
        return;
      }
      last = `${label}: ${words}`;
      if (performance.now() - printedAt < PLAIN_EVERY_MS) return;
      printedAt = performance.now();
      stream.write(`${last}\n`);
      last = undefined;
    },
    /** Leaves the last state on the screen and ends the line. */
    end: (): void => {
      if (stream.isTTY) stream.write('\n');
      else if (last !== undefined) stream.write(`${last}\n`);
    },
  };
}
