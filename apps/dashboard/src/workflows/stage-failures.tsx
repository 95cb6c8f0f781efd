import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { adviceFor } from '../runs/causes.ts';
import { FailedPages, useReadUntilOpen } from '../runs/failed-pages.tsx';
import type { Stage, WorkflowRun } from './stages.ts';

interface StageFailuresProps {
  run: WorkflowRun;
  /** The stages of the workflow, whose parsers the studio can open. */
  stages: readonly Stage[];
  /** Of this stage alone. */
  stage: string | undefined;
  /** The failed input that the address names. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
}

/** Failed inputs of a run of a workflow, or of one of its stages. */
export function StageFailures({ run, stages, stage, open, onOpen }: StageFailuresProps) {
  const { id } = run;
  const query = useInfiniteQuery({
    queryKey: ['getWorkflowRunFailures', id, stage, run.counts.failed],
    queryFn: ({ pageParam, signal }) =>
      call(
        'getWorkflowRunFailures',
        { params: { id }, query: { cursor: pageParam, ...(stage === undefined ? {} : { stage }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  });
  const failures = query.data?.pages.flatMap((page) => page.failures) ?? [];
  useReadUntilOpen(failures, open, query);
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading what="the failures" />;
  if (failures.length === 0) return <p className="soft">Nothing has failed.</p>;
  const causes = new Map(
    failures.map(({ error, detail }) => {
      const advice = adviceFor(error, detail);
      return [`${error} ${advice}`, { error, advice }];
    }),
  );
  const parserOf = (name: string | undefined): string | undefined => {
    const target = stages.find((one) => one.name === name)?.target;
    return target?.type === 'parser' ? target.parserId : undefined;
  };
  return (
    <div className="stack">
      {[...causes].map(([key, { error, advice }]) => (
        <div key={key} className="notice bad">
          <div>
            <strong>{error}</strong>
            <div>{advice}</div>
          </div>
        </div>
      ))}
      <FailedPages
        failures={failures}
        open={open}
        onOpen={onOpen}
        parserOf={(failure) => parserOf(failure.stage)}
      />
      <MoreButton query={query} />
    </div>
  );
}
