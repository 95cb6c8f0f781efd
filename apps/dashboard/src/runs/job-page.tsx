import { DeleteResults } from './delete-results.tsx';
import { WaitingNotice } from './notices.tsx';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { call, operationQuery, type CallOutput } from '../api/call.ts';
import { capitalised, shortUrl, plural, formatTook } from '../format/format.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { CodeBlock, CopyId } from '../parts/copy.tsx';
import { Facts, Page, Failure, Loaded, RunStatus } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { IconPlayerStop } from '../parts/icons.ts';
import { StudioLink } from '../parts/studio-link.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { parserIdOf } from '../targets/target.ts';
import { TargetLink } from '../targets/target-link.tsx';
import { adviceFor } from './causes.ts';
import { isLive, isWaiting } from './run-row.ts';
import { jobSpans, Timeline } from './timeline.tsx';

type Job = CallOutput<'getJob'>;

const LIVE_MS = 1_000;

/** How long it waited and what took the rest, with attempts and credits. */
function JobCourse({ job }: { job: Job }) {
  const { created_at: createdAt, finished_at: finishedAt, attempts, phases } = job;
  const spans = jobSpans(job);
  if (spans.length === 0) return null;
  const whole = formatTook(createdAt, finishedAt);
  return (
    <section className="stack" aria-label="Course">
      <p className="soft small">
        {whole !== undefined && `${whole} in total · `}
        {plural(attempts, 'attempt')} · {plural(job.credits_used, 'credit')}
        {job.fetched_by !== null && ` · read by ${job.fetched_by}`}
        {finishedAt !== null && phases === null && ' · the phases of the fetch were not measured'}
        {phases !== null && attempts > 1 && ' · the bars show the last attempt'}
      </p>
      <Timeline spans={spans} />
    </section>
  );
}

function JobError({ job: { error, target, url } }: { job: Job }) {
  if (error === null) return null;
  return (
    <div className="notice bad" role="alert">
      <div className="stack tight">
        <strong>{capitalised(error.error)}</strong>
        {error.detail !== undefined && <span>{error.detail}</span>}
        <span className="soft">{adviceFor(error)}</span>
        {target.type === 'parser' && url !== null && (
          <StudioLink parserId={target.parserId} page={{ open: url }}>
            Open this page in the studio
          </StudioLink>
        )}
      </div>
    </div>
  );
}

/** One page in the background, with its outcome. */
export function JobPage() {
  const { jobId } = useParams({ from: '/app/runs/jobs/$jobId' });
  const client = useQueryClient();
  const options = operationQuery('getJob', { params: { id: jobId } });
  const query = useQuery({
    ...options,
    refetchInterval: ({ state }) => (state.data !== undefined && isLive(state.data) ? LIVE_MS : false),
  });
  const cancel = useMutation({
    mutationFn: () => call('cancelJob', { params: { id: jobId } }),
    onSuccess: (job) => client.setQueryData(options.queryKey, job),
  });
  const job = query.data;
  return (
    <Page
      title={job?.url ? shortUrl(job.url) : 'Job'}
      crumbs={[<Link to="/runs">Runs</Link>]}
      aside={
        job && (
          <>
            <RunStatus status={job.status} failed={0} held={job.held} isWaiting={isWaiting(job)} />
            <AlarmBadge parserId={parserIdOf(job.target)} until={job.finished_at} />
          </>
        )
      }
      padded
      actions={
        job &&
        (isLive(job) ? (
          <ActionButton icon={IconPlayerStop} loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </ActionButton>
        ) : (
          <DeleteResults kind="job" id={jobId} />
        ))
      }
    >
      <Failure error={cancel.error} />
      <Loaded query={query} what="the job">
        {(loaded) => (
          <div className="columns">
            <div className="stack">
              <WaitingNotice waiting={loaded.waiting} />
              <JobCourse job={loaded} />
              <JobError job={loaded} />
              {loaded.status === 'succeeded' && loaded.mode === 'return' && (
                <CodeBlock text={JSON.stringify(loaded.result, null, 2)} label="Result" />
              )}
              {isLive(loaded) && <p className="soft">The result appears here when the job has run.</p>}
            </div>
            <Facts
              facts={[
                ['Page', loaded.url ?? JSON.stringify(loaded.input)],
                ['Reads', <TargetLink target={loaded.target} />],
                ['Writes', loaded.mode === 'database' && <TableLink sink={loaded.sink} />],
                ['Created', <When at={loaded.created_at} />],
                ['Id', <CopyId id={loaded.id} />],
              ]}
            />
          </div>
        )}
      </Loaded>
    </Page>
  );
}
