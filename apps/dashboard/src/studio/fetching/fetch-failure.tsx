import { Button } from '@mantine/core';
import { Failure } from '../../parts/page.tsx';
import { tryAfterFailure } from './next-try.ts';
import type { Fetching } from './use-fetching.ts';

interface FetchFailureProps {
  fetching: Fetching;
  /** The page that should have been replaced; absent for a further page. */
  replaces?: string;
}

/** Why a page could not be fetched, with a button that does what the advice says. */
export function FetchFailure({ fetching, replaces }: FetchFailureProps) {
  const { error, variables: request } = fetching;
  if (error === null || request === undefined || request.replaces !== replaces) return null;
  const next = tryAfterFailure(error, request.config);
  return (
    <div className="stack tight">
      <Failure error={error} />
      {next !== undefined && (
        <div>
          <Button onClick={() => fetching.mutate({ ...request, config: next.config })}>{next.label}</Button>
        </div>
      )}
    </div>
  );
}
