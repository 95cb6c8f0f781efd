import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listQuery, type CallOutput } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { formatNumber } from '../format/format.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable } from '../parts/plain-table.tsx';

type Usage = CallOutput<'getUsage'>['usage'][number];

const GROUPS = [
  { value: 'host', label: 'Host', none: 'without an address' },
  { value: 'parser', label: 'Parser', none: 'without a parser' },
  { value: 'cron', label: 'Cron', none: 'not started by a cron' },
  { value: 'key', label: 'Key', none: 'without a known key' },
] as const;

type Group = (typeof GROUPS)[number]['value'];

function idOf(usage: Usage, group: Group): string | undefined {
  return group === 'host' ? usage.host : usage[`${group}_id`];
}

function UsageName({ id }: { id: string }) {
  const named = useNamed(id);
  return <span title={id}>{named?.name ?? id}</span>;
}

/** What the pages and credits of these days went to. @param from ISO time */
export function UsageTable({ from }: { from: string }) {
  const [group, setGroup] = useState<Group>('host');
  const query = useInfiniteQuery(listQuery('getUsage', { query: { group_by: group, from } }));
  const none = GROUPS.find(({ value }) => value === group)?.none;
  return (
    <div className="stack tight">
      <SegmentedControl
        className="start"
        aria-label="Use by"
        data={GROUPS.map(({ value, label }) => ({ value, label: `By ${label.toLowerCase()}` }))}
        value={group}
        onChange={setGroup}
      />
      <ReadPages query={query} what="the use" rowsOf={({ usage }) => usage} empty="Nothing was used yet.">
        {(rows) => (
          <PlainTable
            label="Use"
            rows={rows.toSorted((a, b) => b.credits - a.credits)}
            rowKey={(usage) => idOf(usage, group) ?? ''}
            columns={[
              {
                header: GROUPS.find(({ value }) => value === group)?.label ?? '',
                cell: (usage) => {
                  const id = idOf(usage, group);
                  if (id === undefined) return <span className="soft">{none}</span>;
                  return group === 'host' ? id : <UsageName id={id} />;
                },
              },
              { header: 'Pages', align: 'right', cell: ({ pages }) => formatNumber(pages.succeeded) },
              { header: 'Failed', align: 'right', cell: ({ pages }) => formatNumber(pages.failed) },
              { header: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
            ]}
          />
        )}
      </ReadPages>
    </div>
  );
}
