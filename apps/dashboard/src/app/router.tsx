import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  Link,
  type AnyRoute,
  type RouteComponent,
} from '@tanstack/react-router';
import { lazy } from './load-page.ts';
import { startFirstRead } from '../api/first-reads.ts';
import { toProblem } from '../api/problem.ts';
import { sessionQuery } from '../api/call.ts';
import { addressById } from './slugs.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { readBatchSearch, readRunsSearch } from '../runs/search.ts';
import { readRowsSearch } from '../databases/search.ts';
import { readWebhooksSearch } from '../account/search.ts';
import { readOperatorSearch } from '../operator/search.ts';
import { readListSearch } from '../parts/read-search.ts';
import { readSamplesSearch, readVersionsSearch } from '../parsers/search.ts';
import { readTargetSearch } from '../targets/search.ts';
import { readTodaySearch } from '../today/search.ts';
import { readStudioSearch } from '../studio/search.ts';
import { readCollectionSearch } from '../collections/search.ts';
import { readCrawlSearch } from '../crawls/search.ts';
import { readTrySearch } from '../playground/search.ts';
import { readWatchSearch } from '../watch/search.ts';
import { readWorkflowRunSearch } from '../workflows/search.ts';
import { Button } from '@mantine/core';
import styles from '../pages/sign-in.module.css';

function NotFound() {
  return (
    <main className={styles.lost}>
      <Empty title="There is no page at this address">
        <p>The link may be mistyped, or its page was deleted.</p>
        <Button component={Link} to="/">
          Go to the first page
        </Button>
      </Empty>
    </main>
  );
}

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { to?: string } => {
    const { to } = search;
    // Only an address of this dashboard, or a link could lead elsewhere after the sign-in.
    return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {};
  },
  component: lazy(() => import('../pages/sign-in.tsx'), 'SignInPage'),
});

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.client.ensureQueryData(sessionQuery);
    } catch (error) {
      if (toProblem(error).status !== 401) throw error;
      const to = location.href === '/' ? {} : { to: location.href };
      // The router takes a thrown redirect for one.
      // oxlint-disable-next-line typescript/only-throw-error
      throw redirect({ to: '/sign-in', search: to });
    }
    const href = await addressById(context.client, location.href);
    // oxlint-disable-next-line typescript/only-throw-error
    if (href !== undefined) throw redirect({ href, replace: true });
  },
  component: lazy(() => import('./frame.tsx'), 'Frame'),
});

/** Beside the account's pages: the operator needs no account's session. */
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  validateSearch: readOperatorSearch,
  component: lazy(() => import('../operator/operator-page.tsx'), 'OperatorPage'),
});

/** The module of a page, loaded when the page is opened. */
type Load<Name extends string> = () => Promise<{ [K in NoInfer<Name>]: RouteComponent }>;

/** A page behind the sign-in. */
function page<const Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) {
  return createRoute({ getParentRoute: () => app, path, component: lazy(load, name) });
}

/** A page behind the sign-in whose address holds filters, an opened row or the start of a form. */
function searchPage<const Path extends string, Search, Name extends string>(
  path: Path,
  validateSearch: (search: Record<string, unknown>) => Search,
  load: Load<Name>,
  name: Name,
) {
  return createRoute({ getParentRoute: () => app, path, validateSearch, component: lazy(load, name) });
}

const PAGES = [
  searchPage('/', readTodaySearch, () => import('../today/today-page.tsx'), 'TodayPage'),
  searchPage(
    '/collections/$collectionId',
    readCollectionSearch,
    () => import('../collections/collection-page.tsx'),
    'CollectionPage',
  ),
  searchPage('/watch', readWatchSearch, () => import('../watch/watch-page.tsx'), 'WatchPage'),
  searchPage('/try', readTrySearch, () => import('../playground/playground-page.tsx'), 'PlaygroundPage'),
  searchPage('/parsers', readListSearch, () => import('../parsers/parsers-page.tsx'), 'ParsersPage'),
  searchPage('/parsers/new', readStudioSearch, () => import('../studio/studio-page.tsx'), 'NewParserPage'),
  searchPage('/parsers/$parserId', readStudioSearch, () => import('../studio/studio-page.tsx'), 'ParserPage'),
  searchPage(
    '/parsers/$parserId/versions',
    readVersionsSearch,
    () => import('../parsers/versions-page.tsx'),
    'VersionsPage',
  ),
  page('/parsers/$parserId/health', () => import('../parsers/health-page.tsx'), 'HealthPage'),
  searchPage(
    '/parsers/$parserId/samples',
    readSamplesSearch,
    () => import('../parsers/samples-page.tsx'),
    'SamplesPage',
  ),
  searchPage('/runs', readRunsSearch, () => import('../runs/runs-page.tsx'), 'RunsPage'),
  searchPage('/runs/new', readTargetSearch, () => import('../runs/new-run-page.tsx'), 'NewRunPage'),
  searchPage('/runs/batches/$batchId', readBatchSearch, () => import('../runs/batch-page.tsx'), 'BatchPage'),
  page('/runs/jobs/$jobId', () => import('../runs/job-page.tsx'), 'JobPage'),
  searchPage('/crawls', readListSearch, () => import('../crawls/crawls-page.tsx'), 'CrawlsPage'),
  page('/crawls/new', () => import('../crawls/new-crawl-page.tsx'), 'NewCrawlPage'),
  searchPage('/crawls/$runId', readCrawlSearch, () => import('../crawls/crawl-page.tsx'), 'CrawlPage'),
  searchPage('/crons', readListSearch, () => import('../crons/crons-page.tsx'), 'CronsPage'),
  searchPage('/crons/new', readTargetSearch, () => import('../crons/cron-form-page.tsx'), 'NewCronPage'),
  page('/crons/$cronId', () => import('../crons/cron-page.tsx'), 'CronPage'),
  page('/crons/$cronId/edit', () => import('../crons/cron-form-page.tsx'), 'EditCronPage'),
  searchPage('/workflows', readListSearch, () => import('../workflows/workflows-page.tsx'), 'WorkflowsPage'),
  page('/workflows/new', () => import('../workflows/workflow-form-page.tsx'), 'NewWorkflowPage'),
  page('/workflows/$workflowId', () => import('../workflows/workflow-page.tsx'), 'WorkflowPage'),
  page(
    '/workflows/$workflowId/edit',
    () => import('../workflows/workflow-form-page.tsx'),
    'EditWorkflowPage',
  ),
  searchPage(
    '/workflow-runs/$runId',
    readWorkflowRunSearch,
    () => import('../workflows/workflow-run-page.tsx'),
    'WorkflowRunPage',
  ),
  searchPage('/databases', readListSearch, () => import('../databases/databases-page.tsx'), 'DatabasesPage'),
  page('/databases/$databaseId', () => import('../databases/database-page.tsx'), 'DatabasePage'),
  searchPage(
    '/databases/$databaseId/$table',
    readRowsSearch,
    () => import('../databases/table-page.tsx'),
    'TablePage',
  ),
  page('/apis', () => import('../apis/apis-page.tsx'), 'ApisPage'),
  page('/apis/$apiId', () => import('../apis/api-page.tsx'), 'ApiPage'),
  page('/credits', () => import('../account/credits-page.tsx'), 'CreditsPage'),
  searchPage('/keys', readListSearch, () => import('../account/keys-page.tsx'), 'KeysPage'),
  searchPage('/alerts', readListSearch, () => import('../account/alerts-page.tsx'), 'AlertsPage'),
  searchPage('/webhooks', readWebhooksSearch, () => import('../account/webhooks-page.tsx'), 'WebhooksPage'),
] as const;

const tree = root.addChildren([signIn, operator, app.addChildren(PAGES)]);

function RouteFailure({ error, reset }: { error: unknown; reset: () => void }) {
  return <Failure error={error} onRetry={reset} isWhole />;
}

/** The router, which loads the code and the data of the opened page while the session is still being checked. */
export function createAppRouter(client: QueryClient) {
  const router = createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultPendingComponent: () => <Loading what="the page" />,
    defaultErrorComponent: RouteFailure,
    scrollRestoration: true,
    // Links from elsewhere bring parameters of their own, such as utm_source.
    search: { strict: true },
  });
  const routes: Readonly<Record<string, AnyRoute>> = router.routesById;
  for (const { routeId, params } of router.matchRoutes(router.latestLocation)) {
    startFirstRead(client, routeId, params);
    const route = routes[routeId];
    // The router itself reports code that can't be loaded.
    if (route) router.loadRouteChunk(route)?.catch(() => undefined);
  }
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
