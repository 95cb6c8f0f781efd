import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { costText } from '../account/forecast.ts';
import { call, operationQuery, useChange } from '../api/call.ts';
import { CronFacts, NextFirings } from '../crons/cron-facts.tsx';
import { ActionButton } from '../parts/buttons.tsx';
import { IconPencil, IconPlayerPause, IconPlayerPlay } from '../parts/icons.ts';
import { Facts, Failure, Loaded } from '../parts/page.tsx';
import { TableLink } from '../targets/table-link.tsx';
import { TargetLink } from '../targets/target-link.tsx';
import type { Collection } from '../today/runs-squares.ts';
import styles from './collections.module.css';

const STALE = ['listCollections', 'getCron', 'getOverview', 'listCrons'];

/** The account's alerts that tell when a run ends or fails. */
function Told() {
  const alerts = useQuery(operationQuery('listAlerts', { query: { limit: 100 } }));
  const told = (alerts.data?.alerts ?? []).filter(
    ({ enabled, events }) => enabled && (events.includes('cron.failed') || events.includes('batch.finished')),
  );
  if (alerts.data === undefined) return <>…</>;
  if (told.length === 0)
    return (
      <>
        nobody yet; <Link to="/alerts">make an alert</Link>
      </>
    );
  return <Link to="/alerts">{told.map(({ name }) => name).join(', ')}</Link>;
}

function CronWhere({ collection }: { collection: Collection }) {
  const params = { id: collection.id };
  const navigate = useNavigate();
  const query = useQuery(operationQuery('getCron', { params }));
  const enable = useChange((enabled: boolean) => call('updateCron', { params, body: { enabled } }), {
    stale: STALE,
  });
  return (
    <Loaded query={query} what="the cron">
      {(cron) => (
        <>
          <Failure error={enable.error} />
          <div className="row wrap">
            <ActionButton
              icon={cron.enabled ? IconPlayerPause : IconPlayerPlay}
              loading={enable.isPending}
              onClick={() => enable.mutate(!cron.enabled)}
            >
              {cron.enabled ? 'Turn it off' : 'Turn it on'}
            </ActionButton>
            <ActionButton
              icon={IconPencil}
              onClick={() => void navigate({ to: '/crons/$cronId/edit', params: { cronId: cron.id } })}
            >
              Edit
            </ActionButton>
            <Link to="/crons/$cronId" params={{ cronId: cron.id }}>
              Backfill, delete
            </Link>
          </div>
          <NextFirings cron={cron} />
          <Facts
            facts={[
              ['Costs', costText(collection, Date.now())],
              ['Tells', <Told />],
            ]}
          />
          <CronFacts cron={cron} />
        </>
      )}
    </Loaded>
  );
}

/** When a collection runs, where its rows go, what it costs and whom it tells; it is turned off here. */
export function WhereTab({ collection }: { collection: Collection }) {
  const { id, kind, target, database, table } = collection;
  return (
    <div className={`page-body padded stack loose ${styles.where}`}>
      {kind === 'cron' ? (
        <CronWhere collection={collection} />
      ) : (
        <>
          <p>
            It runs when you make a batch.{' '}
            <Link to="/crons/new" search={{ parser: id }}>
              Run it on a schedule
            </Link>
          </p>
          <Facts
            facts={[
              ['Reads with', <TargetLink target={target} />],
              ['Rows go to', <TableLink sink={{ database, table }} />],
              ['Costs', costText(collection, Date.now())],
              ['Tells', <Told />],
            ]}
          />
        </>
      )}
    </div>
  );
}
