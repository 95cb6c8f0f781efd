import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { burnText } from '../account/burn.ts';
import { formatNumber } from '../format/format.ts';
import { Failure, Loaded } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import styles from './today.module.css';
import { overviewQuery } from './use-needs.ts';
import { usePace } from './use-pace.ts';

/** What runs next, the soonest first. */
export function Upcoming() {
  const query = useQuery(overviewQuery);
  return (
    <section aria-label="Next" className="stack tight">
      <h2>Next</h2>
      <Loaded query={query} what="what runs next">
        {({ upcoming }) =>
          upcoming.length === 0 ? (
            <p className="soft small">
              Nothing is scheduled. <Link to="/crons/new">Make a cron</Link>
            </p>
          ) : (
            <ol className={styles.upcoming}>
              {upcoming.map(({ id, name, at }) => (
                <li key={id} className="row">
                  <Link
                    to="/collections/$collectionId"
                    params={{ collectionId: id }}
                    className="grow truncate"
                  >
                    {name}
                  </Link>
                  <span className="soft small nowrap">
                    <When at={at} />
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
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
