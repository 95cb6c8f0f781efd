import { useInfiniteQuery } from '@tanstack/react-query';
import type { CallOutput } from '../api/call.ts';
import { listQuery } from '../api/queries.ts';
import { formatNumber } from '../format/number.ts';
import { CauseNotice } from './cause-notice.tsx';
import { Failures } from './failed-pages.tsx';

interface BatchFailuresProps {
  batch: CallOutput<'getBatch'>;
  /** The failed page that the address names. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
}

/** Why pages of a batch failed: grouped by cause with an example and what to do, then one by one. */
export function BatchFailures({ batch: { id, counts, target }, open, onOpen }: BatchFailuresProps) {
  const parserId = target.type === 'parser' ? target.parserId : undefined;
  const query = useInfiniteQuery(listQuery('getBatchFailures', { params: { id } }, counts.failed));
  return (
    <Failures
      query={query}
      open={open}
      onOpen={onOpen}
      parserOf={() => parserId}
      more={`Show more of ${formatNumber(counts.failed)}`}
    >
      {() =>
        query.data?.pages[0]?.causes?.map((cause) => (
          <CauseNotice
            key={`${cause.error} ${cause.example.url}`}
            batchId={id}
            cause={cause}
            parserId={parserId}
          />
        ))
      }
    </Failures>
  );
}
