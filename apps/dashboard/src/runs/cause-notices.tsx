import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { capitalised, formatNumber, plural } from '../format/format.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { IconRefresh } from '../parts/icons.ts';
import { Failure } from '../parts/page.tsx';
import { StudioLink } from '../parts/studio-link.tsx';
import { adviceFor } from './causes.ts';
import { RunLink } from './run-link.tsx';

type Cause = NonNullable<CallOutput<'getBatchFailures'>['causes']>[number];

interface CauseNoticesProps {
  runId: string;
  causes: readonly Cause[] | undefined;
  /** The parser that read the pages, which the studio can open. */
  parserId?: string | undefined;
  /** Runs the pages of one cause again; absent while the run goes on. */
  retry?: ((cause: string) => Promise<unknown>) | undefined;
}

/** Why pages failed: each cause with its number of pages, an example, what to do, and a way to run these again. */
export function CauseNotices({ causes, ...given }: CauseNoticesProps) {
  return causes?.map((cause) => <CauseNotice key={cause.cause} cause={cause} {...given} />);
}

function CauseNotice({
  runId,
  cause: { cause, error, count, example },
  parserId,
  retry,
}: Omit<CauseNoticesProps, 'causes'> & { cause: Cause }) {
  const again = useMutation({ mutationFn: () => retry?.(cause) ?? Promise.resolve() });
  const isParsers = parserId !== undefined && error === 'extraction failed';
  return (
    <section className="notice bad">
      <div className="stack tight">
        <strong>
          {capitalised(error)} · {plural(count, 'page')}
        </strong>
        <span>{adviceFor({ ...example, error })}</span>
        <span className="small soft anywhere">
          For example {example.url}
          {example.detail !== undefined && `: ${example.detail}`}
        </span>
        <span className="row wrap">
          {retry && (
            <ActionButton icon={IconRefresh} loading={again.isPending} onClick={() => again.mutate()}>
              Retry {count === 1 ? 'it' : `these ${formatNumber(count)}`}
            </ActionButton>
          )}
          {isParsers && runId.startsWith('bat_') && (
            <RunLink id={runId} tab="pages">
              Open a kept page in the studio
            </RunLink>
          )}
          {isParsers && (
            <Link to="/parsers/$parserId/health" params={{ parserId }}>
              Health of the parser
            </Link>
          )}
          {parserId !== undefined && !isParsers && (
            <StudioLink parserId={parserId} page={{ open: example.url }}>
              Open the example in the studio
            </StudioLink>
          )}
        </span>
        <Failure error={again.error} />
      </div>
    </section>
  );
}
