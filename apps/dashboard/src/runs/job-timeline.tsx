import { formatDuration } from '../format/time.ts';

interface JobTimelineProps {
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  attempts: number;
}

interface Span {
  name: string;
  ms: number;
  className: string;
}

/** How long a task waited and ran, as bars of the same scale. */
export function JobTimeline({ createdAt, startedAt, finishedAt, attempts }: JobTimelineProps) {
  if (startedAt === null) return null;
  const waited = Date.parse(startedAt) - Date.parse(createdAt);
  const ran = finishedAt === null ? undefined : Date.parse(finishedAt) - Date.parse(startedAt);
  const spans: Span[] = [
    { name: 'Waited for a worker', ms: waited, className: 'wait' },
    ...(ran === undefined
      ? []
      : [
          {
            name: attempts > 1 ? `Fetched and read, ${attempts} attempts` : 'Fetched and read',
            ms: ran,
            className: 'run',
          },
        ]),
  ];
  const total = Math.max(
    1,
    spans.reduce((sum, { ms }) => sum + ms, 0),
  );
  let before = 0;
  return (
    <ol className="timeline" aria-label="Timeline">
      {spans.map(({ name, ms, className }) => {
        const left = (before / total) * 100;
        before += ms;
        return (
          <li key={name}>
            <span className="soft">{name}</span>
            <span className="track" aria-hidden>
              <i
                className={className}
                style={{ left: `${left}%`, width: `max(2px, ${(ms / total) * 100}%)` }}
              />
            </span>
            <span className="num">{formatDuration(ms)}</span>
          </li>
        );
      })}
    </ol>
  );
}
