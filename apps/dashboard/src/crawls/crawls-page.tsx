import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { listQuery, type CallOutput } from '../api/call.ts';
import { capitalised, formatMoment, formatNumber } from '../format/format.ts';
import type { Column } from '../parts/data-table.tsx';
import { AddButton, ListPage } from '../parts/listed.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { RunStatus } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

type Crawl = CallOutput<'listCrawls'>['crawls'][number] & { name: string };

const COLUMNS: readonly Column<Crawl>[] = [
  {
    header: 'State',
    width: '146px',
    cell: ({ status, counts }) => <RunStatus status={status} failed={counts.failed} />,
  },
  { header: 'Kind', isExtra: true, width: '80px', cell: ({ kind }) => <span className="soft">{kind}</span> },
  { header: 'Pages', width: '48px', align: 'right', cell: ({ counts }) => formatNumber(counts.succeeded) },
  {
    header: 'Credits',
    isExtra: true,
    width: '90px',
    align: 'right',
    cell: ({ credits }) => formatNumber(credits.used),
  },
  { header: 'Created', isExtra: true, width: '120px', cell: (one) => <When at={one.created_at} /> },
];

/** All crawls and maps. */
export function CrawlsPage() {
  const query = useInfiniteQuery({
    ...listQuery('listCrawls', { query: useListSearch() }),
    placeholderData: keepPreviousData,
  });
  return (
    <ListPage
      title="Crawls"
      query={query}
      rowsOf={(page) =>
        page.crawls.map((crawl) => ({
          ...crawl,
          name: crawl.name ?? `${capitalised(crawl.kind)} of ${formatMoment(crawl.created_at)}`,
        }))
      }
      columns={COLUMNS}
      placeOf={({ id }) => linkOptions({ to: '/crawls/$runId', params: { runId: id } })}
      add={<AddButton to={linkOptions({ to: '/crawls/new' })}>New crawl</AddButton>}
      empty={{
        title: 'No crawl yet',
        about:
          'A crawl begins at one address, follows the links of its site, and reads each kind of page with its parser.',
      }}
    />
  );
}
