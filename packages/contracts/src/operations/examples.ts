import { PREBUILT_APIS } from '../apis/index.ts';
import { isApiId } from '../values/index.ts';
import type { Operation } from '../operation.ts';

/** A request that works on a fresh account, once the records that its path names exist. */
export interface OperationExample {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
}

const ID = '01kam2f5w3x8q9t7v6r4n2h0jd';
const PAGE = 'https://example.com/';
const SCHEMA = { fields: { title: 'h1', link: { css: 'a@href', type: 'url' } } };
const TARGET = { type: 'parser', parserId: `prs_${ID}` };
const SINK = { mode: 'database', database: `db_${ID}`, table: 'products' };
const SCHEDULE = { schedule: '0 6 * * MON-FRI', timezone: 'Europe/Vienna' };
const ALERT = {
  name: 'failures',
  events: ['batch.finished', 'cron.failed', 'parser.drift'],
  filter: { failed: true },
  to: { type: 'ntfy', url: 'https://ntfy.example.com/gleaner' },
} as const;
const WEBHOOK = { url: 'https://example.com/hooks/gleaner', events: ['batch.finished'] };
const STAGES = [
  { name: 'list', target: TARGET },
  { name: 'pages', target: TARGET, from: { path: '$.link' }, sink: SINK },
];

/** Queries and bodies by operation. Paths follow from their patterns, prebuilt APIs have examples of their own. */
const EXAMPLES: Readonly<Record<string, Omit<OperationExample, 'params'>>> = {
  parseHtml: { body: { html: '<h1>Blue kettle</h1>' } },
  scrape: { query: { url: PAGE } },
  getNames: { query: { ids: `prs_${ID},bat_${ID}` } },
  scrapeAsJson: { body: { url: PAGE, headers: { 'Accept-Language': 'de' } } },
  scrapeWithSchema: { body: { schema: SCHEMA, url: PAGE } },
  createParser: { body: { name: 'products', schema: SCHEMA } },
  updateParser: { body: { schema: { fields: { title: 'h1', text: { page: 'text' } } } } },
  previewParser: { body: { schema: SCHEMA, html: '<h1>Blue kettle</h1><a href="/more">more</a>' } },
  suggestParser: { body: { pages: [{ html: '<h1>Blue kettle</h1>', examples: { title: 'Blue kettle' } }] } },
  readPage: { body: { html: '<h1>Blue kettle</h1><p class="price">12.50</p>', max_characters: 4_000 } },
  createParserSample: { body: { html: '<h1>Blue kettle</h1>', expected: { title: 'Blue kettle' } } },
  updateParserSample: { body: { expected: { title: 'Blue kettle' } } },
  compareParserVersions: { body: { before: 1, schema: SCHEMA } },
  decideAbsentFields: { body: { fields: ['price'], decision: 'keep' } },
  resetParserHealth: { body: { host: 'shop.example' } },
  proposeParserRepair: { body: { batch: 'bat_01kap2v6w3h8y0qd5c9r4n7jzx' } },
  releaseQuarantinedRows: { body: { seqs: [17, 18] } },
  discardQuarantinedRows: { body: { seqs: [17, 18] } },
  createJob: { body: { target: TARGET, url: PAGE } },
  createBatch: { body: { target: TARGET, urls: [PAGE, `${PAGE}?page=2`] } },
  retryBatch: { body: { cancelled: false } },
  retryWorkflowRun: { body: { cause: 'fetch timed out' } },
  eraseAccount: { body: { name: 'acme' } },
  exportBatch: { query: { format: 'csv' } },
  parsePages: { body: { run: `run_${ID}`, match: '/product/*', target: TARGET, sink: SINK } },
  reparseBatch: { body: { pages: 'all' } },
  createCron: {
    body: {
      name: 'mornings',
      description: 'New products',
      url: PAGE,
      target: TARGET,
      sink: SINK,
      ...SCHEDULE,
    },
  },
  updateCron: { body: { enabled: false } },
  previewCron: { body: SCHEDULE },
  backfillCron: { body: { from: '2026-11-02T00:00:00.000Z', to: '2026-11-06T23:59:59.000Z' } },
  createWorkflow: { body: { name: 'shop', stages: STAGES } },
  updateWorkflow: { body: { name: 'shop, weekly' } },
  createWorkflowRun: { body: { urls: [PAGE] } },
  createCrawl: {
    body: {
      start: [PAGE],
      routes: [{ name: 'products', match: '/product/*', target: TARGET }],
      limits: { pages: 100 },
    },
  },
  createMap: { body: { start: [PAGE], crawl: { sources: { links: false } } } },
  exportCrawlUrls: { query: { format: 'csv' } },
  exportWorkflowRunResults: { query: { format: 'csv' } },
  createDatabase: { body: { name: 'shop', kind: 'managed' } },
  updateDatabase: { body: { name: 'shop, live' } },
  listRows: { query: { order_by: '-_fetched_at', limit: '10' } },
  deleteRows: { query: { filter: '{"_url": "https://example.com/gone"}', count: '0' } },
  createTableLink: { body: { format: 'csv' } },
  keepBatch: { body: { sink: { ...SINK, table: 'kept' } } },
  createBatchLink: { body: { format: 'csv' } },
  exportTable: { query: { format: 'parquet' } },
  updateTable: { body: { history: true, volatile: ['link'] } },
  getChanges: { query: { kinds: 'new,changed', limit: '100' } },
  getRowHistory: { query: { key: JSON.stringify({ _url: PAGE }) } },
  createAlert: { body: ALERT },
  updateAlert: { body: { enabled: false } },
  createWebhook: { body: WEBHOOK },
  updateWebhook: { body: { enabled: false } },
  createKey: { body: { name: 'production' } },
  updateKey: { body: { name: 'production, until May' } },
  signIn: { body: { api_key: 'gln_AbCdEfGh_0123456789abcdefghijklmnopqrstuvwxyzAB' } },
  signInOperator: { body: { password: 'correct horse battery staple' } },
  createAccount: { body: { name: 'shop', credits: 10_000 } },
  setQueuePause: { body: { paused: true } },
  updateAccount: { body: { grant: 5_000, concurrency: 20 } },
  loadPageResources: { body: { urls: ['https://example.com/style.css'] } },
};

const PREFIXES: Readonly<Record<string, string>> = {
  parsers: 'prs',
  parse: 'prs',
  scrape: 'prs',
  jobs: 'job',
  batches: 'bat',
  databases: 'db',
  crons: 'crn',
  workflows: 'wfl',
  'workflow-runs': 'run',
  crawls: 'run',
  alerts: 'alr',
  webhooks: 'whk',
  deliveries: 'dlv',
  samples: 'smp',
  keys: 'key',
  accounts: 'acc',
};

const NAMED: Readonly<Record<string, string>> = {
  table: 'products',
  n: '1',
  version: '1',
  queue: 'batch-http',
};

/** The value of a path's parameter: what is named before it says which record it is. */
function exampleParameter(path: string, name: string): string {
  const before =
    path
      .slice(0, path.indexOf(`{${name}}`))
      .split('/')
      .at(-2) ?? '';
  if (path.startsWith('/v1/apis/')) return 'videosite-video';
  return NAMED[name] ?? `${PREFIXES[before] ?? 'id'}_${ID}`;
}

/** A real request of an operation: for the documentation, where it is shown, and for a test, which sends it. */
export function exampleOf({ id, method, path }: Operation): OperationExample {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params =
    names.length === 0
      ? {}
      : { params: Object.fromEntries(names.map((name) => [name, exampleParameter(path, name)])) };
  const apiId = path.slice('/v1/'.length);
  if (isApiId(apiId)) {
    const { input } = PREBUILT_APIS[apiId].example;
    if (method === 'POST') return { ...params, body: input };
    const query = Object.entries(input).map(([name, value]) => [name, String(value)]);
    return { ...params, query: Object.fromEntries(query) as Record<string, string> };
  }
  return { ...params, ...EXAMPLES[id] };
}
