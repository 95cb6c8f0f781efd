import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/number.ts';
import { formatTook } from '../format/time.ts';
import { CopyId } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { When } from '../parts/values.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { TargetLink } from '../targets/target-link.tsx';

type Batch = CallOutput<'getBatch'>;

function Credits({ credits: { used, reserved } }: Pick<Batch, 'credits'>) {
  return (
    <>
      {formatNumber(used)} used
      {reserved > 0 && <span className="soft">, {formatNumber(reserved)} reserved</span>}
    </>
  );
}

function Results({ batch }: { batch: Batch }) {
  if (batch.mode === 'database') return <TableLink sink={batch.sink} />;
  if (batch.expires_at === null) return <>kept for 24 hours after the start</>;
  return (
    <>
      removed <When at={batch.expires_at} />
    </>
  );
}

/** What a batch reads, writes, costs and took. */
export function BatchFacts({ batch }: { batch: Batch }) {
  const { counts, target } = batch;
  const reader = target.type === 'parser' ? { parser: target.parserId } : { api: target.id };
  return (
    <Facts
      facts={[
        ['Reads', <TargetLink target={target} />],
        [
          'Repeat',
          <Link to="/crons/new" search={{ ...reader, batch: batch.id }}>
            Run it on a schedule
          </Link>,
        ],
        ['Succeeded', formatNumber(counts.succeeded)],
        ['Failed', formatNumber(counts.failed)],
        ['Cancelled', counts.cancelled > 0 && formatNumber(counts.cancelled)],
        ['Credits', <Credits credits={batch.credits} />],
        ['Results', <Results batch={batch} />],
        ['Created', <When at={batch.created_at} />],
        ['Took', formatTook(batch.started_at, batch.finished_at)],
        ['Id', <CopyId id={batch.id} />],
      ]}
    />
  );
}
