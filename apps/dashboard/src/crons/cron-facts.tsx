import { Link } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/format.ts';
import { CopyId } from '../parts/copy.tsx';
import { Facts, Loaded } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import styles from './crons.module.css';
import { FiringStrip, usePreview } from './firing-strip.tsx';
import { catchupText, OVERLAP_WORDS, sentenceOf } from './words.ts';

type Cron = CallOutput<'getCron'>;

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
        [
          'Rows go to',
          sink?.mode === 'database' && (
            <Link
              to="/databases/$databaseId/$table"
              params={{ databaseId: sink.database, table: sink.table }}
            >
              {sink.table}
            </Link>
          ),
        ],
        ['If unfinished', OVERLAP_WORDS[cron.overlap]],
        ['If missed', catchupText(cron.catchup_seconds)],
        [
          'Pauses after',
          <>
            {plural(cron.pause_after_failures, 'failure')} in a row
            {cron.failures > 0 && <span className="bad-text">, {formatNumber(cron.failures)} so far</span>}
          </>,
        ],
        ['Spends at most', maxCredits !== null && `${plural(maxCredits, 'credit')} a firing`],
        ['Created', <When at={cron.created_at} />],
        ['Id', <CopyId id={cron.id} />],
      ]}
    />
  );
}

/** When a cron fires next, in words and as times. */
export function NextFirings({ cron }: { cron: Cron }) {
  const { schedule, timezone } = cron;
  const preview = usePreview(schedule, timezone, cron.next_run_at);
  return (
    <section aria-label="Next firings" className="stack tight">
      <h2 className={styles.schedule}>
        {sentenceOf(schedule) ?? schedule}, {timezone} <code className="soft nowrap">{schedule}</code>
      </h2>
      {cron.enabled ? (
        <Loaded query={preview} what="the next firings">
          {({ times }) => <FiringStrip times={times} zone={timezone} schedule={schedule} />}
        </Loaded>
      ) : (
        <p className="soft">Paused: it fires only when you trigger it.</p>
      )}
    </section>
  );
}
