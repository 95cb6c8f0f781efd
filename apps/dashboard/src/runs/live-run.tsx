import type { RunState, SourceState } from '@gleaner/contracts/values';
import type { ReactNode } from 'react';
import { formatNumber } from '../format/format.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconPlayerStop, IconRefresh } from '../parts/icons.ts';
import { Progress } from './progress.tsx';
import { isLive } from './run-state.ts';

interface LiveActionsProps {
  run: { status: RunState; counts: { failed: number }; source: { status: SourceState } | null };
  /** What the run is called: `batch`. */
  what: string;
  onRetry: () => void;
  isRetrying: boolean;
  cancel: () => Promise<unknown>;
  /** What becomes of a cancelled run. */
  children: string;
}

/** Retries what failed once a run has ended, or cancels it before. */
export function LiveActions({ run, what, onRetry, isRetrying, cancel, children }: LiveActionsProps) {
  const { status, counts, source } = run;
  return (
    <>
      {source?.status === 'failed' && (
        <ActionButton icon={IconRefresh} loading={isRetrying} disabled={isLive(run)} onClick={onRetry}>
          Read its source again
        </ActionButton>
      )}
      {counts.failed > 0 && status !== 'cancelled' && (
        <ActionButton icon={IconRefresh} loading={isRetrying} disabled={isLive(run)} onClick={onRetry}>
          Retry {formatNumber(counts.failed)} failed
        </ActionButton>
      )}
      {isLive(run) && (
        <ConfirmButton
          icon={IconPlayerStop}
          label="Cancel"
          title={`Cancel this ${what}`}
          action={`Cancel ${what}`}
          run={cancel}
        >
          {children}
        </ConfirmButton>
      )}
    </>
  );
}

interface LiveProgressProps {
  counts: { total: number; succeeded: number; failed: number; running: number };
  done: number;
  /** Beside the numbers: the pace, the credits. */
  children: ReactNode;
}

/** How far a run is. */
export function LiveProgress({ counts, done, children }: LiveProgressProps) {
  return (
    <section className="stack tight" aria-label="Progress">
      <div className="row">
        <strong className="nowrap">
          {formatNumber(done)} of {formatNumber(counts.total)}
        </strong>
        <span className="soft">{children}</span>
      </div>
      <Progress {...counts} />
    </section>
  );
}
