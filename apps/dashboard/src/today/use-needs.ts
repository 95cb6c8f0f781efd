import { useQuery } from '@tanstack/react-query';
import { alarmsQuery } from '../alarms/alarms.ts';
import { operationQuery } from '../api/call.ts';
import { daysLasting } from '../account/burn.ts';
import { needsOf, type Need } from './needs.ts';
import { usePace } from './use-pace.ts';

const LIVE_MS = 15_000;
const MOST = 20;

export const overviewQuery = operationQuery('getOverview', {});

interface Needs {
  /** Undefined until all of it is read. */
  needs: readonly Need[] | undefined;
  error: Error | null;
  retry: () => void;
}

/** What needs a person, read again every few seconds. */
export function useNeeds(): Needs {
  const held = { query: { held: true, limit: MOST } };
  const live = { refetchInterval: LIVE_MS };
  const alarms = useQuery(alarmsQuery);
  const overview = useQuery({ ...overviewQuery, ...live });
  const batches = useQuery({ ...operationQuery('listBatches', held), ...live });
  const runs = useQuery({ ...operationQuery('listWorkflowRuns', held), ...live });
  const webhooks = useQuery({ ...operationQuery('listWebhooks', { query: { limit: 100 } }), ...live });
  const alerts = useQuery({ ...operationQuery('listAlerts', { query: { limit: 100 } }), ...live });
  // What needs somebody doesn't wait for it.
  const { balance, days } = usePace();
  const all = [alarms, overview, batches, runs, webhooks, alerts];
  const isRead = alarms.data && overview.data && batches.data && runs.data && webhooks.data && alerts.data;
  return {
    needs: isRead
      ? needsOf({
          alarms: alarms.data.alarms,
          held: [...batches.data.batches, ...runs.data.workflow_runs],
          causes: overview.data.causes,
          paused: overview.data.paused,
          webhooks: webhooks.data.webhooks,
          alerts: alerts.data.alerts,
          daysLeft: days && balance !== undefined ? daysLasting(days, balance) : undefined,
        })
      : undefined,
    error: all.find(({ error, data }) => error !== null && data === undefined)?.error ?? null,
    retry: () => {
      for (const query of all) void query.refetch();
    },
  };
}
