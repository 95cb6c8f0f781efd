import { hasEnded } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { shortUrl } from '../format/shorten.ts';
import { plural } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { CodeBlock, CopyId } from '../parts/copy.tsx';
import { IconPlayerStop } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { adviceFor } from './causes.ts';
import { jobSpans } from './task-phases.ts';
import { Timeline } from './timeline.tsx';

type Job = CallOutput<'getJob'>;

const LIVE_MS = 1_000;

/** How long it waited and what took the rest, with attempts and credits. */
function JobCourse({ job }: { job: Job }) {
  const {
    created_at: createdAt,
    started_at: startedAt,
    finished_at: finishedAt,
    attempts,
    mode,
    phases,
  } = job;
  const spans = jobSpans({ createdAt, startedAt, finishedAt, attempts, mode, phases });
  if (spans.length === 0) return null;
  const whole = finishedAt === null ? undefined : Date.parse(finishedAt) - Date.parse(createdAt);
  return (
    <section className="stack" aria-label="Course">
      <p className="soft small">
        {whole !== undefined && `${formatDuration(whole)} in all · `}
        {plural(attempts, 'attempt')} · {plural(job.credits_used, 'credit')}
        {finishedAt !== null && phases === null && ' · the phases of the fetch were not measured'}
        {phases !== null && attempts > 1 && ' · the bars show the last attempt'}
      </p>
      <Timeline spans={spans} />
    </section>
  );
}

/** One page in the background, with its outcome. */
export function JobPage() {
  const { jobId } = useParams({ from: '/app/runs/jobs/$jobId' });
  const client = useQueryClient();
  const options = operationQuery('getJob', { params: { id: jobId } });
  const query = useQuery({
    ...options,
    refetchInterval: ({ state }) =>
      state.data === undefined || hasEnded(state.data.status) ? false : LIVE_MS,
  });
  const cancel = useMutation({
    mutationFn: () => call('cancelJob', { params: { id: jobId } }),
    onSuccess: (job) => client.setQueryData(options.queryKey, job),
  });
  const job = query.data;
  const isOver = job !== undefined && hasEnded(job.status);
  return (
    <Page
      title={job?.url ? shortUrl(job.url) : 'Job'}
      crumbs={<Link to="/runs">Runs</Link>}
      aside={job && <Status status={job.status} />}
      padded
      actions={
        job &&
        !isOver && (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={14} />}
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )
      }
    >
      {cancel.error !== null && <Failure error={cancel.error} />}
      <Loaded query={query} what="the job">
        {(loaded) => (
          <div className="columns">
            <div className="stack">
              <JobCourse job={loaded} />
              {loaded.error !== null && (
                <div className="notice bad" role="alert">
                  <div className="stack" style={{ gap: 4 }}>
                    <strong>{loaded.error.error}</strong>
                    {loaded.error.detail !== undefined && <span>{loaded.error.detail}</span>}
                    <span className="soft">{loaded.error.hint ?? adviceFor(loaded.error.error)}</span>
                    {loaded.target.type === 'parser' && loaded.url !== null && (
                      <Link
                        to="/parsers/$parserId"
                        params={{ parserId: loaded.target.parserId }}
                        search={{ open: loaded.url }}
                      >
                        Open this page in the studio
                      </Link>
                    )}
                  </div>
                </div>
              )}
              {loaded.status === 'succeeded' && loaded.mode === 'return' && (
                <CodeBlock text={JSON.stringify(loaded.result, null, 2)} label="Result" />
              )}
              {!isOver && <p className="soft">It waits or runs; the result appears here.</p>}
            </div>
            <dl className="facts">
              <dt>Page</dt>
              <dd>{loaded.url ?? JSON.stringify(loaded.input)}</dd>
              <dt>Reads</dt>
              <dd>
                <TargetLink target={loaded.target} />
              </dd>
              {loaded.mode === 'database' && (
                <>
                  <dt>Writes</dt>
                  <dd>
                    <TableLink sink={loaded.sink} />
                  </dd>
                </>
              )}
              <dt>Created</dt>
              <dd>
                <When at={loaded.created_at} />
              </dd>
              <dt>Id</dt>
              <dd>
                <CopyId id={loaded.id} />
              </dd>
            </dl>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
