import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The metrics of one process. The API returns those of all processes (`collect-metrics.ts`). */
export type Metrics = ReturnType<typeof createMetrics>;

export const BROWSER_SANDBOX = 'gleaner_browser_sandbox';

const ANSWER_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120];
const FETCH_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const EXTRACTION_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** @param process the label of all its metrics: api, worker-<id>, scheduler-<id> */
export function createMetrics(process: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  return {
    registry,
    requests: counter('gleaner_http_requests_total', 'Requests answered by the API.', [
      'method',
      'route',
      'status',
    ]),
    requestSeconds: histogram(
      'gleaner_http_request_seconds',
      'Time from request to answer.',
      ANSWER_BUCKETS,
      ['route'],
    ),
    /** The kind is request or chunk; the outcome is succeeded, or the error's code. */
    tasks: counter('gleaner_tasks_total', 'Tasks that ended.', ['kind', 'outcome']),
    /** Engines are http, impit and browser. */
    fetches: counter('gleaner_fetches_total', 'Attempts to fetch a page.', ['engine', 'tier', 'outcome']),
    fetchSeconds: histogram(
      'gleaner_fetch_seconds',
      'Duration of one attempt to fetch a page.',
      FETCH_BUCKETS,
      ['engine'],
    ),
    /** The outcome is good or bad. */
    proxyUses: counter('gleaner_proxy_uses_total', 'Attempts through a proxy.', ['tier', 'outcome']),
    /** Updated when the metrics are sent, like the other gauges. */
    browserPages: gauge('gleaner_browser_pages', 'Pages open in browsers.'),
    browserMemoryBytes: gauge('gleaner_browser_memory_bytes', 'Memory of all browser processes.'),
    /** The state is on or off; absent until a browser has loaded a page. */
    browserSandbox: gauge(BROWSER_SANDBOX, '1 for the state of Chromium’s sandbox.', ['state']),
    blockedHosts: gauge('gleaner_blocked_hosts', 'Hosts that blocked most attempts of the last minutes.'),
    dutyFailures: counter(
      'gleaner_duty_failures_total',
      'Rounds of a duty of the leading scheduler that failed. Each is logged and tried again.',
      ['duty'],
    ),
    /** The reason is transaction, lock, sessions, memory, notices or unread. */
    readersEnded: counter(
      'gleaner_readers_ended_total',
      'Sessions of read-only logins that the leading scheduler ended.',
      ['reason'],
    ),
    extractionSeconds: histogram(
      'gleaner_extraction_seconds',
      'Time to parse a page and run a parser over it, including the wait for a thread.',
      EXTRACTION_BUCKETS,
      [],
    ),
  };
}

/** Adds a gauge that is read from Postgres or the queue on request. @param values one, or one for each of some labels */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  values: number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[],
): void {
  const series: Exclude<typeof values, number> = typeof values === 'number' ? [[{}, values]] : values;
  // Without labels, a gauge begins with the value 0.
  const labelNames = Object.keys(series[0]?.[0] ?? { none: '' });
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const [labels, value] of series) gauge.set(labels, value);
}
