import { createDice } from './dice.ts';
import { endpointsOf, type Endpoint, type OpenApiDocument } from './document.ts';
import { createJudge } from './find.ts';
import { makeRequest, type FuzzRequest } from './request.ts';
import { send, type Sent } from './send.ts';
import type { Known, Making } from './values.ts';

interface FuzzOptions {
  baseUrl: string;
  apiKey: string;
  /** A site that the service may fetch. */
  siteUrl: string;
  seed: number;
  count: number;
  /** No further request begins after this long. */
  forMs: number;
  /** How many requests are under way; some wait a minute for a site that is broken. */
  atOnce: number;
}

interface FuzzReport {
  sent: number;
  /** Answers by status, and requests without one by their failure. */
  counts: Record<string, number>;
  slowestMs: number;
  /** Each kind once, with the request that first showed it. */
  findings: string[];
}

const HANG_MS = 100_000;
/** All attempts of a fetch together take at most 120 s; a host that answered 503 is given pauses in that time. */
const FETCH_HANG_MS = 130_000;
const MOST_IDS = 30;

/** What is made first, so that most requests find something. */
const FIRST: ReadonlyArray<readonly [string, (known: Known, siteUrl: string) => unknown]> = [
  ['/v1/parsers', () => ({ name: 'fuzz', schema: { fields: { title: 'h1' } } })],
  ['/v1/parsers', () => ({ name: 'fuzz 2', schema: { fields: { title: 'h1', n: { const: 1 } } } })],
  ['/v1/databases', () => ({ name: 'fuzz', kind: 'managed' })],
  ['/v1/webhooks', (_known, siteUrl) => ({ url: `${siteUrl}/hook`, events: ['job.finished'] })],
  [
    '/v1/jobs',
    (known, siteUrl) => ({ target: { type: 'parser', parserId: known.prs[0] }, url: `${siteUrl}/product` }),
  ],
  [
    '/v1/batches',
    (known, siteUrl) => ({
      target: { type: 'parser', parserId: known.prs[0] },
      urls: [`${siteUrl}/product`],
    }),
  ],
  [
    '/v1/workflows',
    (known) => ({
      name: 'fuzz',
      stages: [{ name: 'pages', target: { type: 'parser', parserId: known.prs[0] } }],
    }),
  ],
  [
    '/v1/crons',
    (known, siteUrl) => ({
      name: 'fuzz',
      description: '',
      schedule: '0 3 * * *',
      target: { type: 'parser', parserId: known.prs[0] },
      url: `${siteUrl}/product`,
      sink: { mode: 'database', database: known.db[0], table: 'products' },
    }),
  ],
];

function learnIds(known: Known, text: string): void {
  for (const [, id, kind] of text.matchAll(/"id":"((prs|job|bat|db|crn|whk|dlv|wfl|run)_[0-9a-z]{26})"/g)) {
    const ids = known[kind as keyof Known];
    if (id !== undefined && !ids.includes(id)) ids.push(id);
    if (ids.length > MOST_IDS) ids.shift();
  }
}

function describe(request: FuzzRequest, sent: Sent): string {
  const { method, path, headers, body } = request;
  const { 'x-api-key': _key, ...shown } = headers;
  const answer = 'failure' in sent ? '' : `${sent.status} ${sent.text.slice(0, 400)}`;
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(shown).slice(0, 300)} ${body?.toString().slice(0, 500) ?? ''} → ${answer}`;
}

/** Sends requests that are made from the service's own OpenAPI document, most of them wrong in some way, and judges the answers. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { apiKey, siteUrl } = options;
  const baseUrl = new URL(options.baseUrl);
  const document = (await (await fetch(new URL('/openapi.json', baseUrl))).json()) as OpenApiDocument;
  const endpoints = endpointsOf(document);
  const { judge } = createJudge(document);
  const known: Known = { prs: [], job: [], bat: [], db: [], crn: [], whk: [], dlv: [], wfl: [], run: [] };
  for (const [path, body] of FIRST) {
    const answer = await fetch(new URL(path, baseUrl), {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body(known, siteUrl)),
    });
    learnIds(known, await answer.text());
  }

  const found = new Map<string, string>();
  const report: FuzzReport = { sent: 0, counts: {}, slowestMs: 0, findings: [] };
  const endAt = Date.now() + options.forMs;

  const isFetching = ({ tags }: Endpoint): boolean =>
    tags.includes('Extraction') || tags.includes('Prebuilt APIs') || tags.includes('Parsers');

  const one = async (endpoint: Endpoint, making: Making): Promise<void> => {
    const request = makeRequest(making, endpoint, apiKey);
    const sent = await send(baseUrl, request, isFetching(endpoint) ? FETCH_HANG_MS : HANG_MS);
    const outcome = 'failure' in sent ? sent.failure : String(sent.status);
    report.counts[outcome] = (report.counts[outcome] ?? 0) + 1;
    if (!('failure' in sent)) {
      report.slowestMs = Math.max(report.slowestMs, Math.round(sent.ms));
      if (sent.status < 300) learnIds(known, sent.text);
    }
    for (const finding of judge(request, sent, apiKey)) {
      const kind = `${endpoint.operationId}: ${finding}`;
      if (!found.has(kind)) found.set(kind, describe(request, sent));
    }
  };

  const walk = async (): Promise<void> => {
    while (report.sent < options.count && Date.now() < endAt) {
      report.sent += 1;
      // Decisions of a request are the same however fast others are answered.
      const dice = createDice(options.seed * 1_000_003 + report.sent);
      const endpoint = endpoints[dice.below(endpoints.length)];
      if (endpoint) await one(endpoint, { dice, document, known, siteUrl });
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, walk));
  report.findings = [...found].map(([kind, example]) => `${kind}\n    ${example}`);
  return report;
}
