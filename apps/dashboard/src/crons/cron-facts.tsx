import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/number.ts';
import { CopyId } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { When } from '../parts/values.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import { catchupText, OVERLAP_WORDS } from './words.ts';

type Cron = CallOutput<'getCron'>;

function Failures({ cron: { pause_after_failures: limit, failures } }: { cron: Cron }) {
  return (
    <>
      {plural(limit, 'failure')} in a row
      {failures > 0 && <span className="bad-text">, {formatNumber(failures)} so far</span>}
    </>
  );
}

function Sink({ database, table }: { database: string; table: string }) {
  return (
    <Link to="/databases/$databaseId/$table" params={{ databaseId: database, table }}>
      {table}
    </Link>
  );
}

/** What a cron reads, where its rows go, and its limits. */
export function CronFacts({ cron }: { cron: Cron }) {
  const { sink, url, max_credits: maxCredits } = cron;
  return (
    <Facts
      facts={[
        [
          'Reads',
          <>
            {plural(cron.input_count, 'page')} with <TargetLink target={cron.target} />
          </>,
        ],
        ['Page', url ?? undefined],
        ['Rows go to', sink?.mode === 'database' && <Sink database={sink.database} table={sink.table} />],
        ['If unfinished', OVERLAP_WORDS[cron.overlap]],
        ['If missed', catchupText(cron.catchup_seconds)],
        ['Pauses after', <Failures cron={cron} />],
        ['Spends at most', maxCredits !== null && `${plural(maxCredits, 'credit')} a firing`],
        ['Created', <When at={cron.created_at} />],
        ['Id', <CopyId id={cron.id} />],
      ]}
    />
  );
}
