import { linkOptions } from '@tanstack/react-router';
import type { CallOutput } from '../api/call.ts';
import { capitalised, formatMoment } from '../format/format.ts';
import { column, extra, numberColumn, softColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { AddButton, ListPage } from '../parts/listed.tsx';
import { useFound } from '../parts/list-search.ts';
import { RunStatus } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

type Crawl = CallOutput<'listCrawls'>['crawls'][number] & { name: string };

const COLUMNS: readonly Column<Crawl>[] = [
  column('State', '146px', ({ status, counts, held }) => (
    <RunStatus status={status} failed={counts.failed} held={held} />
  )),
  extra(softColumn('Kind', '80px', ({ kind }) => kind)),
  numberColumn('Pages', '48px', ({ counts }) => counts.succeeded),
  extra(numberColumn('Credits', '90px', ({ credits }) => credits.used)),
  extra(column('Created', '120px', (one) => <When at={one.created_at} />)),
];

/** All crawls and maps. */
export function CrawlsPage() {
  return (
    <ListPage
      title="Crawls"
      query={useFound('listCrawls')}
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
