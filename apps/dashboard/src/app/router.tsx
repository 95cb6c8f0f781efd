import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  type AnyRoute,
} from '@tanstack/react-router';
import { DELIVERY_STATES, isOneOf, type DeliveryState } from '@gleaner/contracts/values';
import { startFirstRead } from '../api/first-reads.ts';
import { toProblem } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { readBatchSearch, readRunsSearch } from '../runs/search.ts';
import { readRowsSearch } from '../databases/search.ts';
import { readOperatorTab, type OperatorTab } from '../operator/search.ts';
import { readVersionsSearch } from '../parsers/search.ts';
import { readTargetSearch } from '../targets/search.ts';
import { readStudioSearch } from '../studio/search.ts';
import { readWorkflowRunSearch } from '../workflows/search.ts';
import { NotFound } from './not-found.tsx';

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
  component: lazyRouteComponent(() => import('../pages/sign-in.tsx'), 'SignInPage'),
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
  },
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
});

const home = createRoute({
  getParentRoute: () => app,
  path: '/',
  beforeLoad: () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw redirect({ to: '/parsers' });
  },
});

const parsers = createRoute({
  getParentRoute: () => app,
  path: '/parsers',
  component: lazyRouteComponent(() => import('../parsers/parsers-page.tsx'), 'ParsersPage'),
});
const newParser = createRoute({
  getParentRoute: () => app,
  path: '/parsers/new',
  validateSearch: readStudioSearch,
  component: lazyRouteComponent(() => import('../studio/studio-page.tsx'), 'NewParserPage'),
});
const parser = createRoute({
  getParentRoute: () => app,
  path: '/parsers/$parserId',
  validateSearch: readStudioSearch,
  component: lazyRouteComponent(() => import('../studio/studio-page.tsx'), 'ParserPage'),
});
const versions = createRoute({
  getParentRoute: () => app,
  path: '/parsers/$parserId/versions',
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import('../parsers/versions-page.tsx'), 'VersionsPage'),
});

const health = createRoute({
  getParentRoute: () => app,
  path: '/parsers/$parserId/health',
  component: lazyRouteComponent(() => import('../parsers/health-page.tsx'), 'HealthPage'),
});

const samples = createRoute({
  getParentRoute: () => app,
  path: '/parsers/$parserId/samples',
  validateSearch: ({ sample }: Record<string, unknown>): { sample?: string | undefined } =>
    typeof sample === 'string' ? { sample } : {},
  component: lazyRouteComponent(() => import('../parsers/samples-page.tsx'), 'SamplesPage'),
});

const runs = createRoute({
  getParentRoute: () => app,
  path: '/runs',
  validateSearch: readRunsSearch,
  component: lazyRouteComponent(() => import('../runs/runs-page.tsx'), 'RunsPage'),
});
const newRun = createRoute({
  getParentRoute: () => app,
  path: '/runs/new',
  validateSearch: readTargetSearch,
  component: lazyRouteComponent(() => import('../runs/new-run-page.tsx'), 'NewRunPage'),
});
const batch = createRoute({
  getParentRoute: () => app,
  path: '/runs/batches/$batchId',
  validateSearch: readBatchSearch,
  component: lazyRouteComponent(() => import('../runs/batch-page.tsx'), 'BatchPage'),
});
const job = createRoute({
  getParentRoute: () => app,
  path: '/runs/jobs/$jobId',
  component: lazyRouteComponent(() => import('../runs/job-page.tsx'), 'JobPage'),
});

const crons = createRoute({
  getParentRoute: () => app,
  path: '/crons',
  component: lazyRouteComponent(() => import('../crons/crons-page.tsx'), 'CronsPage'),
});
const newCron = createRoute({
  getParentRoute: () => app,
  path: '/crons/new',
  validateSearch: readTargetSearch,
  component: lazyRouteComponent(() => import('../crons/cron-form-page.tsx'), 'NewCronPage'),
});
const cron = createRoute({
  getParentRoute: () => app,
  path: '/crons/$cronId',
  component: lazyRouteComponent(() => import('../crons/cron-page.tsx'), 'CronPage'),
});
const editCron = createRoute({
  getParentRoute: () => app,
  path: '/crons/$cronId/edit',
  component: lazyRouteComponent(() => import('../crons/cron-form-page.tsx'), 'EditCronPage'),
});

const workflows = createRoute({
  getParentRoute: () => app,
  path: '/workflows',
  component: lazyRouteComponent(() => import('../workflows/workflows-page.tsx'), 'WorkflowsPage'),
});
const newWorkflow = createRoute({
  getParentRoute: () => app,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('../workflows/workflow-form-page.tsx'), 'NewWorkflowPage'),
});
const workflow = createRoute({
  getParentRoute: () => app,
  path: '/workflows/$workflowId',
  component: lazyRouteComponent(() => import('../workflows/workflow-page.tsx'), 'WorkflowPage'),
});
const editWorkflow = createRoute({
  getParentRoute: () => app,
  path: '/workflows/$workflowId/edit',
  component: lazyRouteComponent(() => import('../workflows/workflow-form-page.tsx'), 'EditWorkflowPage'),
});
const workflowRun = createRoute({
  getParentRoute: () => app,
  path: '/workflow-runs/$runId',
  validateSearch: readWorkflowRunSearch,
  component: lazyRouteComponent(() => import('../workflows/workflow-run-page.tsx'), 'WorkflowRunPage'),
});

const databases = createRoute({
  getParentRoute: () => app,
  path: '/databases',
  component: lazyRouteComponent(() => import('../databases/databases-page.tsx'), 'DatabasesPage'),
});
const database = createRoute({
  getParentRoute: () => app,
  path: '/databases/$databaseId',
  component: lazyRouteComponent(() => import('../databases/database-page.tsx'), 'DatabasePage'),
});
const table = createRoute({
  getParentRoute: () => app,
  path: '/databases/$databaseId/$table',
  validateSearch: readRowsSearch,
  component: lazyRouteComponent(() => import('../databases/rows-page.tsx'), 'RowsPage'),
});

const apis = createRoute({
  getParentRoute: () => app,
  path: '/apis',
  component: lazyRouteComponent(() => import('../apis/apis-page.tsx'), 'ApisPage'),
});
const api = createRoute({
  getParentRoute: () => app,
  path: '/apis/$apiId',
  component: lazyRouteComponent(() => import('../apis/api-page.tsx'), 'ApiPage'),
});

const credits = createRoute({
  getParentRoute: () => app,
  path: '/credits',
  component: lazyRouteComponent(() => import('../account/credits-page.tsx'), 'CreditsPage'),
});
const keys = createRoute({
  getParentRoute: () => app,
  path: '/keys',
  component: lazyRouteComponent(() => import('../account/keys-page.tsx'), 'KeysPage'),
});
const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  validateSearch: ({ status }): { status?: DeliveryState } =>
    isOneOf(DELIVERY_STATES, status) ? { status } : {},
  component: lazyRouteComponent(() => import('../account/webhooks-page.tsx'), 'WebhooksPage'),
});
const operator = createRoute({
  getParentRoute: () => app,
  path: '/operator',
  validateSearch: (search): { tab?: OperatorTab | undefined } => ({ tab: readOperatorTab(search) }),
  component: lazyRouteComponent(() => import('../operator/operator-page.tsx'), 'OperatorPage'),
});

const tree = root.addChildren([
  signIn,
  app.addChildren([
    home,
    parsers,
    newParser,
    parser,
    versions,
    health,
    samples,
    runs,
    newRun,
    batch,
    job,
    crons,
    newCron,
    cron,
    editCron,
    workflows,
    newWorkflow,
    workflow,
    editWorkflow,
    workflowRun,
    databases,
    database,
    table,
    apis,
    api,
    credits,
    keys,
    webhooks,
    operator,
  ]),
]);

function RouteFailure({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="state">
      <Failure error={error} onRetry={reset} />
    </div>
  );
}

function createOwnRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultPendingComponent: () => <Loading what="the page" />,
    defaultErrorComponent: RouteFailure,
    scrollRestoration: true,
  });
}

/** The router, which loads the code and the data of the opened page while the session is still being checked. */
export function createAppRouter(client: QueryClient) {
  const router = createOwnRouter(client);
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
