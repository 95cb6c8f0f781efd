import type { WaitOptions } from '@gleaner/client';
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { operationQuery, type CallOutput } from '../api/call.ts';
import { useFollowed } from '../api/use-followed.ts';
import { capitalised, formatNumber } from '../format/format.ts';
import { ActionButton, ConfirmButton } from '../parts/buttons.tsx';
import { IconPlayerStop, IconRefresh } from '../parts/icons.ts';
import { Failure, Loaded, Page, type PageProps } from '../parts/page.tsx';
import { PauseNotice, SourceNotice, WaitingNotice } from './notices.tsx';
import { doneOf } from './pace.ts';
import { DeleteResults } from './delete-results.tsx';
import { Progress } from './progress.tsx';
import { isLive } from './run-row.ts';

const HeldRemovals = lazy(async () => ({ default: (await import('./held-removals.tsx')).HeldRemovals }));

type Batch = CallOutput<'getBatch'>;
type WorkflowRun = CallOutput<'getWorkflowRun'>;

/**
 * A batch, a run of a workflow or a crawl that stays up to date while it is live, through its events.
 * @param waitFor the client's method that follows it
 */
export function useLiveRun<
  N extends 'getBatch' | 'getWorkflowRun' | 'getCrawl',
  R extends Batch | WorkflowRun,
>(
  operation: N,
  waitFor: (id: string, options: WaitOptions<R>) => Promise<R>,
  id: string,
  onProgress?: (run: R) => void,
) {
  const client = useQueryClient();
  const options = operationQuery(operation, { params: { id } });
  const query = useQuery(options);
  const show = (run: R): void => {
    // What a crawl was given never changes, and only its own record has it.
    client.setQueryData<CallOutput<N>>(options.queryKey, (known) => known && { ...known, ...run });
    // The side bar shows the balance.
    if (!isLive(run)) void client.invalidateQueries({ queryKey: ['getCredits'] });
    // How its pages came is only in its own record.
    if (!isLive(run) && 'scrape_config' in run && run.scrape_config['escalate'] !== undefined)
      void client.invalidateQueries({ queryKey: options.queryKey });
    onProgress?.(run);
  };
  useFollowed(query.data, waitFor, show);
  return { query, show };
}

interface RunPageProps<R> extends Omit<PageProps, 'title' | 'actions' | 'children'> {
  query: UseQueryResult<R>;
  /** What it is called: `batch`. */
  kind: string;
  /** Undefined until it is read. */
  title: string | undefined;
  /** Before the actions that every run has. */
  before?: ReactNode;
  after?: ReactNode;
  retry: () => Promise<unknown>;
  cancel: () => Promise<unknown>;
  /** What becomes of a cancelled run. */
  cancelled: string;
  /** Beside the progress: the pace, the credits. */
  progress: (run: R) => ReactNode;
  children: (run: R) => ReactNode;
}

/** A run of many pages: how far it is, what it waits for, and the ways to end or repeat it. */
export function RunPage<R extends Batch | WorkflowRun>(props: RunPageProps<R>) {
  const { query, kind, title, before, after, cancel, cancelled, progress, children, ...page } = props;
  const retry = useMutation({ mutationFn: props.retry });
  const run = query.data;
  const retryButton = {
    icon: IconRefresh,
    loading: retry.isPending,
    disabled: run && isLive(run),
    onClick: () => retry.mutate(),
  };
  return (
    <Page
      {...page}
      title={title ?? capitalised(kind)}
      padded
      actions={
        run && (
          <>
            {before}
            {run.source?.status === 'failed' && (
              <ActionButton {...retryButton}>Read its source again</ActionButton>
            )}
            {run.counts.failed > 0 && run.status !== 'cancelled' && (
              <ActionButton {...retryButton}>Retry {formatNumber(run.counts.failed)} failed</ActionButton>
            )}
            {isLive(run) && (
              <ConfirmButton
                icon={IconPlayerStop}
                label="Cancel"
                title={`Cancel this ${kind}`}
                action={`Cancel ${kind}`}
                run={cancel}
              >
                {cancelled}
              </ConfirmButton>
            )}
            {!isLive(run) && <DeleteResults kind={'kind' in run ? 'run' : 'batch'} id={run.id} />}
            {after}
          </>
        )
      }
    >
      <Loaded query={query} what={`the ${kind}`}>
        {(loaded) => (
          <div className="stack loose">
            <section className="stack tight" aria-label="Progress">
              <div className="row">
                <strong className="nowrap">
                  {formatNumber(doneOf(loaded))} of {formatNumber(loaded.counts.total)}
                </strong>
                <span className="soft">{progress(loaded)}</span>
              </div>
              <Progress {...loaded.counts} held={loaded.held} />
            </section>
            <SourceNotice source={loaded.source} since={loaded.since} />
            {/* While it goes on, notices come and go in a place of their own. */}
            <div className={isLive(loaded) ? 'stack notices' : 'stack'}>
              {'paused' in loaded && <PauseNotice paused={loaded.paused} />}
              <WaitingNotice waiting={loaded.waiting} />
            </div>
            {loaded.publication !== 'none' && (
              <Suspense fallback={null}>
                <HeldRemovals run={loaded} />
              </Suspense>
            )}
            <Failure error={retry.error} />
            {children(loaded)}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
