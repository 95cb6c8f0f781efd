import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The metrics of one process. The API returns those of all processes (`collect-metrics.ts`). */
export interface Metrics {
  registry: Registry;
  requests: Counter<'method' | 'route' | 'status'>;
  requestSeconds: Histogram<'route'>;
  /** Labelled by kind (request, chunk) and outcome (succeeded, or the error's code). */
  tasks: Counter<'kind' | 'outcome'>;
  /** Labelled by engine (http, impit, browser), proxy tier and outcome. */
  fetches: Counter<'engine' | 'tier' | 'outcome'>;
  fetchSeconds: Histogram<'engine'>;
  extractionSeconds: Histogram;
  /** Attempts through proxies, by tier and outcome (good, bad). */
  proxyUses: Counter<'tier' | 'outcome'>;
  /** Updated when the metrics are sent. */
  browserPages: Gauge;
  browserMemoryBytes: Gauge;
  /** 1 for the state (on, off) of Chromium's sandbox; absent until a browser has loaded a page. */
  browserSandbox: Gauge<'state'>;
  /** Updated when the metrics are sent. */
  blockedHosts: Gauge;
  dutyFailures: Counter<'duty'>;
}

export const BROWSER_SANDBOX = 'gleaner_browser_sandbox';

const FETCH_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** @param process the label of all its metrics: api, worker-<id>, scheduler-<id> */
export function createMetrics(process: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  return {
    registry,
    requests: new Counter({
      name: 'gleaner_http_requests_total',
      help: 'Requests answered by the API.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'gleaner_http_request_seconds',
      help: 'Time from request to answer.',
      labelNames: ['route'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120],
      registers,
    }),
    tasks: new Counter({
      name: 'gleaner_tasks_total',
      help: 'Tasks that ended.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    fetches: new Counter({
      name: 'gleaner_fetches_total',
      help: 'Attempts to fetch a page.',
      labelNames: ['engine', 'tier', 'outcome'],
      registers,
    }),
    fetchSeconds: new Histogram({
      name: 'gleaner_fetch_seconds',
      help: 'Duration of one attempt to fetch a page.',
      labelNames: ['engine'],
      buckets: FETCH_BUCKETS,
      registers,
    }),
    proxyUses: new Counter({
      name: 'gleaner_proxy_uses_total',
      help: 'Attempts through a proxy.',
      labelNames: ['tier', 'outcome'],
      registers,
    }),
    browserPages: gauge('gleaner_browser_pages', 'Pages open in browsers.'),
    browserMemoryBytes: gauge('gleaner_browser_memory_bytes', 'Memory of all browser processes.'),
    browserSandbox: new Gauge({
      name: BROWSER_SANDBOX,
      help: '1 for the state of Chromium’s sandbox.',
      labelNames: ['state'],
      registers,
    }),
    blockedHosts: gauge('gleaner_blocked_hosts', 'Hosts that blocked most attempts of the last minutes.'),
    dutyFailures: new Counter({
      name: 'gleaner_duty_failures_total',
      help: 'Rounds of a duty of the leading scheduler that failed. Each is logged and tried again.',
      labelNames: ['duty'],
      registers,
    }),
    extractionSeconds: new Histogram({
      name: 'gleaner_extraction_seconds',
      help: 'Time to parse a page and run a parser over it, including the wait for a thread.',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
      registers,
    }),
  };
}

/** Creates a gauge that is read from Postgres or the queue on request. */
export function createGauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[] = [],
): Gauge {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}
