import { TEXT_EXPORT_FORMATS, URL_OUTCOMES } from '@gleaner/contracts/values';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { exportUrl, listQuery } from '../api/call.ts';
import { shortUrl } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import type { Column } from '../parts/data-table.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import { Listed } from '../parts/listed.tsx';
import { Empty, Filters } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import styles from './crawls.module.css';
import { OUTCOME_WORDS } from './search.ts';
import type { CrawlUrl } from './url-tree.ts';

const FULL_PAGE = 100;
const REFRESH_MS = 5_000;

/** The addresses of a crawl, page by page; read again while it goes on. */
function useUrls(id: string, isLive: boolean, outcome?: CrawlUrl['outcome']) {
  const query = listQuery('listCrawlUrls', { params: { id }, query: outcome ? { outcome } : {} });
  return useInfiniteQuery({
    ...query,
    // A crawl that goes on has always a next page, which may be empty yet.
    getNextPageParam: (page) => (isLive && page.urls.length < FULL_PAGE ? undefined : page.cursor),
    refetchInterval: isLive ? REFRESH_MS : false,
  });
}

const COLUMNS: readonly Column<CrawlUrl>[] = [
  {
    header: 'Address',
    width: 'minmax(160px, 3fr)',
    cell: ({ url }) => (
      <a href={url} title={url} target="_blank" rel="noreferrer">
        {shortUrl(url)}
      </a>
    ),
  },
  {
    header: 'Outcome',
    width: '160px',
    cell: ({ outcome }) => (
      <span className={outcome === 'failed' ? 'bad-text' : 'soft'}>
        {outcome === null ? 'Not fetched' : OUTCOME_WORDS[outcome]}
      </span>
    ),
  },
  { header: 'Route', isExtra: true, width: '110px', cell: ({ route }) => route ?? '' },
  { header: 'Depth', isExtra: true, width: '60px', align: 'right', cell: ({ depth }) => depth },
  { header: 'Status', isExtra: true, width: '60px', align: 'right', cell: ({ status }) => status ?? '' },
  {
    header: 'Found by',
    isExtra: true,
    width: '80px',
    cell: ({ found }) => <span className="soft">{found}</span>,
  },
  {
    header: 'Modified',
    isExtra: true,
    width: '110px',
    cell: (one) => one.last_modified !== null && <When at={one.last_modified} />,
  },
];

/** All addresses that a crawl found, in its order, with a filter and a download. */
export function UrlList({ id, isLive }: { id: string; isLive: boolean }) {
  const { outcome } = useSearch({ from: '/app/crawls/$runId' });
  const navigate = useNavigate({ from: '/crawls/$runId' });
  const query = useUrls(id, isLive, outcome);
  return (
    <section aria-label="Addresses" className={styles.addresses}>
      <Filters>
        <FilterSelect
          label="Outcome"
          w={210}
          data={choicesOf(OUTCOME_WORDS).filter(({ value }) => URL_OUTCOMES.includes(value))}
          value={outcome}
          onChange={(chosen) =>
            void navigate({ search: (known) => ({ ...known, outcome: chosen }), replace: true })
          }
        />
        <span className="grow" />
        <ExportMenu
          isQuiet
          formats={TEXT_EXPORT_FORMATS}
          urlOf={(format) =>
            exportUrl('/v1/workflow-runs/{id}/urls/export', { params: { id }, query: { format, outcome } })
          }
          {...(outcome === undefined ? {} : { note: 'with this filter' })}
        />
      </Filters>
      <Listed
        label="Addresses"
        query={query}
        rowsOf={(page) => page.urls}
        rowId={({ url, found_on: from }) => `${url} ${from}`}
        columns={COLUMNS}
        empty={<Empty title={isLive ? 'No address yet' : 'No addresses'} />}
      />
    </section>
  );
}
