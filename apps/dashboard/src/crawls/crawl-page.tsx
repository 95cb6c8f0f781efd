import { UNTYPED_EXPORT_FORMATS } from '@gleaner/contracts/values';
import { Link, useParams, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { call, client, exportUrl, type CallOutput, listQuery } from '../api/call.ts';
import { capitalised, formatExact, formatNumber, plural, shortUrl } from '../format/format.ts';
import { RunPace } from '../charts/run-pace.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { Failure, Empty, Filters } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { RootRunState } from '../runs/run-link.tsx';
import { RunPage, useLiveRun } from '../runs/run-page.tsx';
import { RunRows } from '../runs/run-rows.tsx';
import { stageWaysText } from '../runs/way-words.ts';
import { RunFailures } from '../workflows/run-failures.tsx';
import { isLive } from '../runs/run-row.ts';
import { CrawlStart } from './crawl-start.tsx';
import { KindTable } from './kind-table.tsx';
import { useUrlTree, type CrawlUrl, type UrlNode } from './url-tree.ts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { choicesOf } from '../parts/choices.ts';
import { column, extra, numberColumn, softColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import { Listed } from '../parts/listed.tsx';
import styles from './crawls.module.css';
import { OUTCOME_WORDS } from './search.ts';

/** Opened by a click, so the page doesn't wait for its code. */
const CollectDialog = lazy(async () => ({
  default: (await import('./collect/collect-dialog.tsx')).CollectDialog,
}));

type Crawl = CallOutput<'getCrawl'>;
type WorkflowRun = CallOutput<'getWorkflowRun'>;

/** The kinds of pages: while a map ends in the choice of parsers, a crawl shows how far each is. */
function Kinds({ crawl }: { crawl: Crawl }) {
  const live = isLive(crawl);
  const [collected, setCollected] = useState<UrlNode>();
  const { tree, read, isDone, error, retry } = useUrlTree(crawl.id, live);
  // Lines that somebody looks at don't change places.
  const nodes = useMemo(() => (read === 0 ? [] : tree.read(live ? 'found' : 'largest')), [tree, read, live]);
  return (
    <section className="stack" aria-label="Kinds of pages">
      <h2>
        Kinds of pages{' '}
        <span className="soft">
          {isDone
            ? `of ${plural(read, 'address', 'addresses')}`
            : `of ${formatNumber(read)} addresses so far`}
        </span>
      </h2>
      <Failure error={error} onRetry={retry} />
      {nodes.length === 0 && !isDone && <p className="soft">The first addresses come in a moment.</p>}
      {crawl.kind === 'map' ? (
        <CrawlStart map={crawl} nodes={nodes} onCollect={setCollected} />
      ) : (
        <KindTable nodes={nodes} onCollect={setCollected} />
      )}
      {collected && (
        <Suspense fallback={null}>
          <CollectDialog crawl={crawl} node={collected} onClose={() => setCollected(undefined)} />
        </Suspense>
      )}
    </section>
  );
}

/** How far the routes of a crawl are. */
function routeText({ stages }: Crawl): string {
  const [stage] = stages;
  if (!stage?.crawl) return '';
  const { routes, duplicates, over_limit: over, folders } = stage.crawl;
  return [
    ...(folders === null ? [] : [` · within ${folders.map(shortUrl).join(', ')}`]),
    ...routes.map(({ name, counts }) => ` · ${name}: ${formatNumber(counts.succeeded)}`),
    ...(duplicates > 0 ? [` · ${plural(duplicates, 'duplicate')}`] : []),
    ...(over > 0 ? [` · ${formatNumber(over)} over the limit`] : []),
  ].join('');
}

/** Says that pages are missing because of the depth, and what reaches them. */
function DepthNotice({ stages }: Crawl) {
  const count = stages[0]?.crawl?.unfollowed_pages ?? 0;
  if (count === 0) return null;
  return (
    <Notice>
      {plural(count, 'page')} at the greatest depth {count === 1 ? 'links' : 'link'} to further pages, which
      are not here. A greater depth reaches them, or a selector of the links to the next page of a list
      (“next”).
    </Notice>
  );
}

const FULL_PAGE = 100;
const REFRESH_MS = 5_000;

const COLUMNS: readonly Column<CrawlUrl>[] = [
  column('Address', 'minmax(160px, 3fr)', ({ url }) => (
    <a href={url} title={url} target="_blank" rel="noreferrer">
      {shortUrl(url)}
    </a>
  )),
  column('Outcome', '160px', ({ outcome }) => (
    <span className={outcome === 'failed' ? 'bad-text' : 'soft'}>
      {outcome === null ? 'Not fetched' : OUTCOME_WORDS[outcome]}
    </span>
  )),
  extra(column('Route', '110px', ({ route }) => route)),
  extra(numberColumn('Depth', '60px', ({ depth }) => depth)),
  { header: 'Status', isExtra: true, width: '60px', align: 'right', cell: ({ status }) => status },
  extra(softColumn('Found by', '80px', ({ found }) => found)),
  extra(column('Modified', '110px', ({ last_modified: at }) => at !== null && <When at={at} />)),
];

/** All addresses that a crawl found, in its order, read again while it goes on and at its end, with a filter and a download. */
function UrlList({ id, isLive }: { id: string; isLive: boolean }) {
  const { outcome } = useSearch({ from: '/app/crawls/$runId' });
  const navigate = useNavigate({ from: '/crawls/$runId' });
  const query = useInfiniteQuery({
    ...listQuery('listCrawlUrls', { params: { id }, query: { outcome } }, isLive),
    placeholderData: keepPreviousData,
    // A crawl that goes on has always a next page, which may be empty yet.
    getNextPageParam: (page) => (isLive && page.urls.length < FULL_PAGE ? undefined : page.cursor),
    refetchInterval: isLive ? REFRESH_MS : false,
  });
  return (
    <section aria-label="Addresses" className={styles.addresses}>
      <Filters>
        <FilterSelect
          label="Outcome"
          w={210}
          data={choicesOf(OUTCOME_WORDS)}
          value={outcome}
          onChange={(chosen) =>
            void navigate({ search: (known) => ({ ...known, outcome: chosen }), replace: true })
          }
        />
        <span className="grow" />
        <ExportMenu
          isQuiet
          formats={UNTYPED_EXPORT_FORMATS}
          urlOf={(format) =>
            exportUrl('/v1/workflow-runs/{id}/urls/export', { params: { id }, query: { format, outcome } })
          }
          note={outcome && 'with this filter'}
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

/** The rows of the routes that write to tables. */
function CrawlRows({ crawl }: { crawl: Crawl }) {
  const routes = crawl.stages[0]?.crawl?.routes ?? [];
  return routes
    .filter(({ mode }) => mode === 'database')
    .map(({ name, run_id: runId, sink, counts }) => (
      <section key={name} aria-label={`Rows of ${name}`} className="stack">
        <h2>Rows of {name}</h2>
        <RunRows
          runId={runId}
          sink={sink}
          pages={sink['rows'] === undefined ? counts.succeeded : undefined}
          kept={counts.rows_kept}
          isLive={isLive(crawl)}
        />
      </section>
    ));
}

/** Why pages of a crawl failed. */
function CrawlFailures({ crawl, onRetried }: { crawl: Crawl; onRetried: (run: WorkflowRun) => void }) {
  const { failure } = useSearch({ from: '/app/crawls/$runId' });
  const navigate = useNavigate({ from: '/crawls/$runId' });
  if (!crawl.has_failures) return null;
  return (
    <section aria-label="Failures" className="stack">
      <h2>
        Failures <span className="soft">{formatNumber(crawl.counts.failed)}</span>
      </h2>
      <RunFailures
        run={crawl}
        onRetried={onRetried}
        parserOf={() => undefined}
        open={failure}
        onOpen={(opened) =>
          void navigate({ search: (known) => ({ ...known, failure: opened }), replace: true })
        }
      />
    </section>
  );
}

/** A crawl or a map: how far it is, its kinds of pages, its addresses, and what comes next. */
export function CrawlPage() {
  const { runId } = useParams({ from: '/app/crawls/$runId' });
  const { query, show } = useLiveRun<'getCrawl', WorkflowRun>('getCrawl', client.crawls.waitFor, runId);
  const params = { id: runId };
  const crawl = query.data;
  const kind = crawl?.kind ?? 'crawl';
  return (
    <RunPage
      query={query}
      kind={kind}
      title={crawl?.name ?? undefined}
      hint={crawl && `${capitalised(kind)} of ${formatExact(crawl.created_at)}`}
      crumbs={[<Link to="/crawls">Crawls</Link>]}
      aside={crawl && <RootRunState run={crawl} />}
      before={
        crawl?.expires_at && (
          <ExportMenu
            label="Export data"
            formats={UNTYPED_EXPORT_FORMATS}
            urlOf={(format) =>
              exportUrl('/v1/workflow-runs/{id}/results/export', { params, query: { format } })
            }
          />
        )
      }
      retry={async () => show(await call('retryWorkflowRun', { params }))}
      cancel={async () => show(await call('cancelWorkflowRun', { params }))}
      cancelled="It stops. Results so far stay, and reserved credits are released at once."
      progress={(loaded) => (
        <>
          {plural(loaded.credits.used, 'credit')} used · started <When at={loaded.created_at} />
          {stageWaysText(loaded)}
          {routeText(loaded)}
        </>
      )}
    >
      {(loaded) => (
        <>
          <DepthNotice {...loaded} />
          <Kinds key={loaded.id} crawl={loaded} />
          <RunPace runId={loaded.id} isLive={isLive(loaded)} />
          <CrawlRows crawl={loaded} />
          <CrawlFailures crawl={loaded} onRetried={show} />
          <UrlList id={loaded.id} isLive={isLive(loaded)} />
        </>
      )}
    </RunPage>
  );
}
