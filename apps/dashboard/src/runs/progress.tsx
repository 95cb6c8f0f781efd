import { formatNumber } from '../format/format.ts';
import styles from './progress.module.css';

interface ProgressProps {
  total: number;
  succeeded: number;
  failed: number;
  running?: number;
  /** Pages that succeeded and whose rows wait for a decision. */
  held?: number;
}

/** How much of a run is done, and how. */
export function Progress({ total, succeeded, failed, running = 0, held = 0 }: ProgressProps) {
  const share = (count: number): string => `${total === 0 ? 0 : (count / total) * 100}%`;
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={succeeded + failed}
      aria-label="Done"
      title={`${formatNumber(succeeded)} succeeded, ${formatNumber(failed)} failed of ${formatNumber(total)}`}
    >
      <i className={styles.ok} style={{ width: share(Math.max(0, succeeded - held)) }} />
      <i className={styles.held} style={{ width: share(Math.min(held, succeeded)) }} />
      <i className={styles.bad} style={{ width: share(failed) }} />
      <i className={styles.run} style={{ width: share(running) }} />
    </div>
  );
}
