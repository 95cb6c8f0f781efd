import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { burnText } from '../account/burn.ts';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';
import { Failure, Loading } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import styles from './today.module.css';
import { overviewQuery } from './use-needs.ts';
import { usePace } from './use-pace.ts';

function Firings({ upcoming }: Pick<CallOutput<'getOverview'>, 'upcoming'>) {
  if (upcoming.length === 0)
    return (
      <p className="soft small">
        Nothing is scheduled. <Link to="/crons/new">Make a cron</Link>
      </p>
    );
  return (
    <ol className={styles.upcoming}>
      {upcoming.map(({ id, name, at }) => (
        <li key={id} className="row">
          <Link to="/collections/$collectionId" params={{ collectionId: id }} className="grow truncate">
            {name}
          </Link>
          <span className="soft small nowrap">
            <When at={at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** What runs next, the soonest first. */
export function Upcoming() {
  const { data, error } = useQuery(overviewQuery);
  return (
    <section aria-label="Next" className="stack tight">
      <h2>Next</h2>
      {data && <Firings upcoming={data.upcoming} />}
      {data === undefined && error === null && <Loading what="what runs next" lines={2} />}
      {/* The reason stands at the top of the page: it is the same call. */}
      {data === undefined && error !== null && <p className="soft small">Not known at the moment.</p>}
    </section>
  );
}

/** The balance, and how long it lasts at the pace of the last days. */
export function Balance() {
  const { balance, days, error } = usePace();
  return (
    <section aria-label="Credits" className="stack tight">
      <h2>Credits</h2>
      <Failure error={error} />
      {balance !== undefined && (
        <p className={styles.balance}>
          <Link to="/credits">{formatNumber(balance)}</Link> <span className="soft small">left</span>
        </p>
      )}
      {days && <p className="soft small">{burnText(days, balance)}.</p>}
    </section>
  );
}
