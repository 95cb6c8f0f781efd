import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, useChange } from '../api/call.ts';
import { formatNumber, plural } from '../format/format.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { IconAlertTriangle, IconCircleX, IconRefresh } from '../parts/icons.ts';
import { Failure, Loading, Status } from '../parts/page.tsx';
import { NamedRun } from '../runs/run-link.tsx';
import type { Need } from './needs.ts';
import styles from './today.module.css';
import { useNeeds } from './use-needs.ts';

const SHOWN = 6;
/** What running pages again changes on the first page. */
const STALE = ['getOverview', 'listCollections', 'listRuns', 'getBatch'];

/** Runs the pages of one cause again, in all runs that have it. */
function RetryButton({ retry: { cause, runs, count } }: { retry: NonNullable<Need['retry']> }) {
  const again = useChange(
    () =>
      Promise.all(
        runs.map((id) =>
          call(id.startsWith('run_') ? 'retryWorkflowRun' : 'retryBatch', {
            params: { id },
            body: { cause },
          }),
        ),
      ),
    { stale: STALE },
  );
  return (
    <>
      <ActionButton icon={IconRefresh} loading={again.isPending} onClick={() => again.mutate()}>
        Retry {plural(count, 'page')}
      </ActionButton>
      <Failure error={again.error} />
    </>
  );
}

function NeedLine({ need: { status, title, about, place, word, runs = [], retry } }: { need: Need }) {
  const navigate = useNavigate();
  const Icon = status === 'failed' ? IconCircleX : IconAlertTriangle;
  return (
    <li className={styles.need}>
      <span className={`status ${status}`}>
        <Icon size={16} aria-hidden />
      </span>
      <div className="grow">
        <Link {...place} className={styles.what}>
          {title}
        </Link>
        {runs[0] !== undefined && (
          <span className="small">
            {' '}
            in <NamedRun id={runs[0]} />
            {runs.length > 1 && ` and ${formatNumber(runs.length - 1)} more`}
          </span>
        )}
        {about !== undefined && <div className="soft small anywhere">{about}</div>}
      </div>
      <div className="row wrap">
        {retry ? (
          <RetryButton retry={retry} />
        ) : (
          <Button variant="default" onClick={() => void navigate(place)}>
            {word}
          </Button>
        )}
      </div>
    </li>
  );
}

/** What a person has to decide or mend, each with the button that helps; one line when there is nothing. */
export function NeedsYou() {
  const { needs, error, retry } = useNeeds();
  const [isWhole, setWhole] = useState(false);
  const rest = (needs?.length ?? 0) - SHOWN;
  return (
    <section aria-label="Needs you" className={styles.needs}>
      <h2>Needs you{needs !== undefined && needs.length > 0 && ` · ${formatNumber(needs.length)}`}</h2>
      <Failure error={error} onRetry={retry} />
      {needs === undefined && error === null && <Loading what="what needs you" lines={2} />}
      {needs?.length === 0 && (
        <p className={styles.well}>
          <Status
            status="succeeded"
            word="All is well: nothing failed in 24 hours, no rows wait, and every parser reads what it did."
          />
        </p>
      )}
      <ul>
        {needs?.slice(0, isWhole ? needs.length : SHOWN).map((need) => (
          <NeedLine key={need.key} need={need} />
        ))}
      </ul>
      {rest > 0 && !isWhole && (
        <Button variant="subtle" color="gray" className="start" onClick={() => setWhole(true)}>
          Show {formatNumber(rest)} more
        </Button>
      )}
    </section>
  );
}
