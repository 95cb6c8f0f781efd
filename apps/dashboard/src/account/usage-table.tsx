import type { UsageGroup } from '@gleaner/contracts/values';
import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listQuery, type CallOutput } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { formatNumber } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import styles from './account.module.css';

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

/** What the pages and credits of these days went to. @param from ISO time */
export function UsageTable({ from }: { from: string }) {
  const [group, setGroup] = useState<Group>('host');
  const query = useInfiniteQuery(listQuery('getUsage', { query: { group_by: group, from } }));
  const { label, none } = GROUPS[group];
  return (
    <div className={`stack tight ${styles.used}`}>
      <SegmentedControl
        className="start"
        aria-label="Use by"
        data={choicesOf(GROUPS).map((choice) => ({ ...choice, label: `By ${choice.label.toLowerCase()}` }))}
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
                header: label,
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
