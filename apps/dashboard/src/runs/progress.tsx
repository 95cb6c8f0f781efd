import { formatNumber } from '../format/number.ts';

interface ProgressProps {
  total: number;
  succeeded: number;
  failed: number;
  running?: number;
  width?: number | string;
}

/** How much of a run is done, and how. */
export function Progress({ total, succeeded, failed, running = 0, width = '100%' }: ProgressProps) {
  const share = (count: number): string => `${total === 0 ? 0 : (count / total) * 100}%`;
  return (
    <div
      className="bar"
      style={{ width }}
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={succeeded + failed}
      aria-label="Done"
      title={`${formatNumber(succeeded)} succeeded, ${formatNumber(failed)} failed of ${formatNumber(total)}`}
    >
      <i className="ok" style={{ width: share(succeeded) }} />
      <i className="bad" style={{ width: share(failed) }} />
      <i className="run" style={{ width: share(running) }} />
    </div>
  );
}
