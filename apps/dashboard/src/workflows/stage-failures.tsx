import { useInfiniteQuery } from '@tanstack/react-query';
import { listQuery } from '../api/queries.ts';
import { advicesOf } from '../runs/causes.ts';
import { Failures } from '../runs/failed-pages.tsx';
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
  const query = useInfiniteQuery(
    listQuery('getWorkflowRunFailures', { params: { id }, query: { stage } }, run.counts.failed),
  );
  const parserOf = (name: string | undefined): string | undefined => {
    const target = stages.find((one) => one.name === name)?.target;
    return target?.type === 'parser' ? target.parserId : undefined;
  };
  return (
    <Failures query={query} open={open} onOpen={onOpen} parserOf={(failure) => parserOf(failure.stage)}>
      {(failures) =>
        advicesOf(failures).map(({ error, advice }) => (
          <div key={`${error} ${advice}`} className="notice bad">
            <div>
              <strong>{error}</strong>
              <div>{advice}</div>
            </div>
          </div>
        ))
      }
    </Failures>
  );
}
