import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { call, operationQuery, useChange } from '../api/call.ts';
import { AlarmBadge } from '../alarms/alarm-badge.tsx';
import { ActionButton } from '../parts/buttons.tsx';
import { choicesOf } from '../parts/choices.ts';
import { IconPlayerPlay } from '../parts/icons.ts';
import { Empty, Failure, Loaded, Page, Status } from '../parts/page.tsx';
import { parserIdOf } from '../targets/target.ts';
import type { Collection } from '../today/runs-squares.ts';
import { FieldsTab } from './fields-tab.tsx';
import { RowsTab } from './rows-tab.tsx';
import { RunsTab } from './runs-tab.tsx';
import type { CollectionTab } from './search.ts';
import { WhereTab } from './where-tab.tsx';

const TABS = {
  rows: 'Rows',
  runs: 'Runs',
  fields: 'Pages & fields',
  where: 'When & where',
} satisfies Record<CollectionTab, string>;

const LIVE_MS = 10_000;
const STALE = ['listCollections', 'listCronRuns', 'getCron', 'getOverview'];

/** Whether it runs by itself, or that its parser has an alarm. */
function CollectionStatus({
  collection: { kind, target, enabled, paused_reason: reason },
}: {
  collection: Collection;
}) {
  const word = kind === 'parser' ? 'by hand' : reason === null ? 'paused' : 'paused itself';
  return (
    <AlarmBadge parserId={parserIdOf(target)}>
      {enabled ? (
        <Status status="succeeded" word="active" />
      ) : (
        <Status status={reason === null ? 'pending' : 'attention'} word={word} />
      )}
    </AlarmBadge>
  );
}

/** Runs it now: a cron at once, a parser by the form of a batch. */
function RunNow({ collection: { id, kind } }: { collection: Collection }) {
  const navigate = useNavigate();
  const trigger = useChange(() => call('triggerCron', { params: { id } }), { stale: STALE });
  return (
    <>
      <Failure error={trigger.error} />
      <ActionButton
        isMain
        icon={IconPlayerPlay}
        loading={trigger.isPending}
        onClick={() =>
          kind === 'cron' ? trigger.mutate() : void navigate({ to: '/runs/new', search: { parser: id } })
        }
      >
        {kind === 'cron' ? 'Run now' : 'New batch'}
      </ActionButton>
    </>
  );
}

function Tab({ collection }: { collection: Collection }) {
  const { tab = 'rows' } = useSearch({ from: '/app/collections/$collectionId' });
  if (tab === 'rows') return <RowsTab collection={collection} />;
  if (tab === 'runs') return <RunsTab collection={collection} />;
  return tab === 'fields' ? <FieldsTab collection={collection} /> : <WhereTab collection={collection} />;
}

/** One collection: its rows, its runs, its pages with their fields, its schedule and its table. */
export function CollectionPage() {
  const { collectionId } = useParams({ from: '/app/collections/$collectionId' });
  const { tab = 'rows' } = useSearch({ from: '/app/collections/$collectionId' });
  const navigate = useNavigate({ from: '/collections/$collectionId' });
  const query = useQuery({
    ...operationQuery('listCollections', { query: { id: collectionId, limit: 1 } }),
    refetchInterval: LIVE_MS,
  });
  const collection = query.data?.collections[0];
  return (
    <Page
      title={collection?.name ?? 'Collection'}
      crumbs={[<Link to="/">Today</Link>]}
      aside={collection && <CollectionStatus collection={collection} />}
      actions={collection && <RunNow collection={collection} />}
      filters={
        <SegmentedControl
          aria-label="Part"
          data={choicesOf<CollectionTab>(TABS)}
          value={tab}
          onChange={(next) => void navigate({ search: next === 'rows' ? {} : { tab: next }, replace: true })}
        />
      }
    >
      <Loaded query={query} what="the collection">
        {({ collections: [found] }) =>
          found ? (
            <Tab collection={found} />
          ) : (
            <Empty title="There is no such collection">
              <p>
                A collection is a cron, or a parser whose batches fill a table. It may have been deleted, or
                its last batch was long ago.
              </p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
