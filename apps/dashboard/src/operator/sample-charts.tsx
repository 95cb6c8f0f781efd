import type { CallOutput } from '../api/call.ts';
import { Bars } from '../charts/bars.tsx';
import { ticksOf } from '../charts/periods.ts';
import { formatNumber } from '../format/format.ts';
import { sampleBars } from './sample-bars.ts';

type Sample = CallOutput<'getSystemUsage'>['samples'][number];

/** Samples of an hour, which has one place in the ticks of a day. */
const OF_HOUR = 12;

const CHARTS: readonly { title: string; unit: string; of: (sample: Sample) => number }[] = [
  { title: 'Oldest work that waits', unit: 's', of: ({ queue_age_seconds: age }) => Math.round(age ?? 0) },
  {
    title: 'Memory of workers and schedulers',
    unit: 'MB',
    of: ({ memory_bytes: bytes }) => Math.round((bytes ?? 0) / 1e6),
  },
  { title: 'Pages that wait for their site', unit: 'pages', of: ({ waiting }) => waiting },
];

/** How old the waiting work was, the memory of workers, and how many pages waited, over the last day. */
export function SampleCharts({ samples, now }: { samples: readonly Sample[]; now: number }) {
  const ticks = ticksOf('day', now).map(({ index, text }) => ({ index: index * OF_HOUR, text }));
  return CHARTS.map(({ title, unit, of }) => {
    const most = Math.max(0, ...samples.map(of));
    const last = samples.at(-1);
    return (
      <section key={title} className="section stack tight" aria-label={title}>
        <h2>
          {title}{' '}
          <span className="soft small">
            {last === undefined
              ? 'from the first five minutes on'
              : `${formatNumber(of(last))} ${unit} now, at most ${formatNumber(most)} ${unit} in 24 hours`}
          </span>
        </h2>
        {most > 0 && (
          <Bars
            label={`${title} in 24 hours: at most ${formatNumber(most)} ${unit}`}
            bars={sampleBars(samples, of, unit, now)}
            ticks={ticks}
          />
        )}
      </section>
    );
  });
}
