import { TEXT_EXPORT_FORMATS } from '@gleaner/contracts/values';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { call, client as api, exportUrl, type CallOutput } from '../api/call.ts';
import { capitalised, formatExact, formatNumber, plural } from '../format/format.ts';
import { ExportMenu } from '../parts/export-menu.tsx';
import { Failure, Loaded, Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { LiveActions, LiveProgress } from '../runs/live-run.tsx';
import { WaitingNotice } from '../runs/waiting-notice.tsx';
import { isLive } from '../runs/run-state.ts';
import { RootRunState, useRootRun } from '../workflows/root-run.tsx';
import { pauseText } from '../workflows/stages.ts';
import { CrawlStart } from './crawl-start.tsx';
import { KindTable } from './kind-table.tsx';
import { UrlList } from './url-list.tsx';
import { useUrlTree } from './use-url-tree.ts';

type Crawl = CallOutput<'getCrawl'>;

/** The kinds of pages: while a map ends in the choice of parsers, a crawl shows how far each is. */
function Kinds({ crawl }: { crawl: Crawl }) {
  const live = isLive(crawl);
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
      {crawl.kind === 'map' ? <CrawlStart map={crawl} nodes={nodes} /> : <KindTable nodes={nodes} />}
    </section>
  );
}

/** How far the routes of a crawl are. */
function routeText({ stages }: Crawl): string {
  const [stage] = stages;
  if (!stage?.crawl) return '';
  const { routes, duplicates, over_limit: over } = stage.crawl;
  return [
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
    <div className="notice" role="status">
      {plural(count, 'page')} at the greatest depth {count === 1 ? 'links' : 'link'} to further pages, which
      are not here. A greater depth reaches them, or a selector of the links to the next page of a list
      (“next”).
    </div>
  );
}

/** A crawl or a map: how far it is, its kinds of pages, its addresses, and what comes next. */
export function CrawlPage() {
  const { runId } = useParams({ from: '/app/crawls/$runId' });
  const { query, show } = useRootRun('getCrawl', api.crawls.waitFor, runId);
  const params = { id: runId };
  const retry = useMutation({ mutationFn: () => call('retryWorkflowRun', { params }), onSuccess: show });
  const crawl = query.data;
  const title = crawl?.name ?? capitalised(crawl?.kind ?? 'crawl');
  return (
    <Page
      title={title}
      hint={crawl && `${capitalised(crawl.kind)} of ${formatExact(crawl.created_at)}`}
      crumbs={[<Link to="/crawls">Crawls</Link>]}
      aside={crawl && <RootRunState run={crawl} />}
      padded
      actions={
        crawl && (
          <>
            {crawl.expires_at !== null && (
              <ExportMenu
                label="Export data"
                formats={TEXT_EXPORT_FORMATS}
                urlOf={(format) =>
                  exportUrl('/v1/workflow-runs/{id}/results/export', { params, query: { format } })
                }
              />
            )}
            <LiveActions
              run={crawl}
              what={crawl.kind}
              onRetry={() => retry.mutate()}
              isRetrying={retry.isPending}
              cancel={async () => show(await call('cancelWorkflowRun', { params }))}
            >
              It stops. Results so far stay, and reserved credits are released at once.
            </LiveActions>
          </>
        )
      }
    >
      <Loaded query={query} what="the crawl">
        {(loaded) => (
          <div className="stack loose">
            <LiveProgress counts={loaded.counts} done={loaded.counts.succeeded}>
              {plural(loaded.credits.used, 'credit')} used · started <When at={loaded.created_at} />
              {routeText(loaded)}
            </LiveProgress>
            {loaded.paused !== null && (
              <div className="notice" role="status">
                {pauseText(loaded.paused.reason)}
              </div>
            )}
            <WaitingNotice waiting={loaded.waiting} />
            <DepthNotice {...loaded} />
            <Failure error={retry.error} />
            <Kinds key={loaded.id} crawl={loaded} />
            <UrlList id={loaded.id} isLive={isLive(loaded)} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}
