import type { UsageGroup } from '@gleaner/contracts/values';
import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listQuery, operationQuery, type CallOutput } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { Share } from '../charts/share.tsx';
import { formatNumber, plural } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import styles from './account.module.css';
import { costLeft } from './forecast.ts';

type Usage = CallOutput<'getUsage'>['usage'][number];

const GROUPS = {
  host: { label: 'Host', none: 'without an address' },
  parser: { label: 'Parser', none: 'without a parser' },
  cron: { label: 'Cron', none: 'not started by a cron' },
  key: { label: 'Key', none: 'without a known key' },
} satisfies { readonly [G in UsageGroup]?: { label: string; none: string } };

type Group = keyof typeof GROUPS;

function idOf(usage: Usage, group: Group): string | undefined {
  return group === 'host' ? usage.host : usage[`${group}_id`];
}

function UsageName({ id }: { id: string }) {
  const named = useNamed(id);
  return <span title={id}>{named?.name ?? id}</span>;
}

/** What each cron will still cost until the month ends, of the latest hundred. */
function useCostsLeft(isShown: boolean): ReadonlyMap<string, number> {
  const { data } = useQuery({
    ...operationQuery('listCollections', { query: { limit: 100 } }),
    enabled: isShown,
    staleTime: 60_000,
  });
  const now = Date.now();
  return new Map(
    (data?.collections ?? []).flatMap((collection) => {
      const left = costLeft(collection, now);
      return left === undefined ? [] : [[collection.id, left] as const];
    }),
  );
}

/** @param most the credits of the longest bar */
function columnsOf(group: Group, costs: ReadonlyMap<string, number>, most: number): PlainColumn<Usage>[] {
  const { label, none } = GROUPS[group];
  const columns: PlainColumn<Usage>[] = [
    {
      header: label,
      cell: (usage) => {
        const id = idOf(usage, group);
        if (id === undefined) return <span className="soft">{none}</span>;
        return group === 'host' ? id : <UsageName id={id} />;
      },
    },
    { header: 'Pages', align: 'right', cell: ({ pages }) => formatNumber(pages.succeeded) },
    { header: 'Failed', align: 'right', cell: ({ pages }) => formatNumber(pages.failed) },
    {
      header: 'Credits',
      align: 'right',
      cell: ({ credits }) => <Share of={credits / most}>{formatNumber(credits)}</Share>,
    },
  ];
  if (costs.size === 0) return columns;
  return [
    ...columns,
    {
      header: 'Until the month ends (estimated)',
      align: 'right',
      cell: ({ cron_id: id = '' }) => {
        const cost = costs.get(id);
        return cost === undefined ? <span className="soft">–</span> : formatNumber(cost);
      },
    },
  ];
}

/** What the pages and credits of these days went to. @param from ISO time */
export function UsageTable({ from }: { from: string }) {
  const [group, setGroup] = useState<Group>('host');
  const query = useInfiniteQuery(listQuery('getUsage', { query: { group_by: group, from } }));
  const costs = useCostsLeft(group === 'cron');
  const total = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  return (
    <div className={`stack tight ${styles.used}`}>
      <SegmentedControl
        className="start"
        aria-label="Use by"
        data={choicesOf(GROUPS).map((choice) => ({ ...choice, label: `By ${choice.label.toLowerCase()}` }))}
        value={group}
        onChange={setGroup}
      />
      {costs.size > 0 && (
        <p className="small soft">
          At the pace of the last 30 days the schedules will cost about {plural(total, 'credit')} until the
          month ends (estimated).
        </p>
      )}
      <ReadPages query={query} what="the use" rowsOf={({ usage }) => usage} empty="Nothing was used yet.">
        {(rows) => (
          <PlainTable
            label="Use"
            rows={rows.toSorted((a, b) => b.credits - a.credits)}
            rowKey={(usage) => idOf(usage, group) ?? ''}
            columns={columnsOf(group, costs, Math.max(1, ...rows.map(({ credits }) => credits)))}
          />
        )}
      </ReadPages>
    </div>
  );
}
