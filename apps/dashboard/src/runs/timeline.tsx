import { formatDuration } from '../format/format.ts';
import type { Span } from './task-phases.ts';
import styles from './timeline.module.css';

/** Bars of the same scale, one after the other. */
export function Timeline({ spans }: { spans: readonly Span[] }) {
  const total = Math.max(
    1,
    spans.reduce((sum, { ms }) => sum + ms, 0),
  );
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
