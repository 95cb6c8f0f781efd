import { Pool } from 'undici';
import { startBenchWorld } from './engine/bench-world.ts';
import { closedLoop } from './load/closed-loop.ts';
import { printResult, printTable } from './load/output.ts';
import { percentile, rounded } from './load/statistics.ts';

/** CPU that a call of a tool may take above the same operation over REST. */
const BAR_MS = 3;
const SECONDS = 5;
const CLIENTS = 8;

const HTML = `<h1>Lamp</h1><p class="price">12.50</p>${'<p>Some text of a page.</p>'.repeat(40)}`;

interface Ask {
  path: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

interface Measured {
  perSecond: number;
  p50Ms: number;
  cpuMs: number;
  failures: number;
}

/** A tool's call as a client of this revision sends it. */
function callOf(name: string, args: object, revision: string): Ask {
  const isModern = revision === '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name, arguments: args, ...(isModern ? { _meta } : {}) };
  return {
    path: '/mcp',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(isModern ? { 'mcp-method': 'tools/call', 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

async function measure(origin: string, key: string, ask: Ask, cpu: () => number): Promise<Measured> {
  const pool = new Pool(origin, { connections: CLIENTS });
  const send = async (): Promise<void> => {
    const { statusCode, body } = await pool.request({
      ...ask,
      headers: { 'x-api-key': key, ...ask.headers },
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"isError":true')) throw new Error(`${statusCode}: ${text}`);
  };
  await send();
  const bounds = { concurrency: CLIENTS, count: Number.POSITIVE_INFINITY };
  await closedLoop({ ...bounds, withinMs: 2_000 }, send);
  const before = cpu();
  const { timesMs, failures, perSecond } = await closedLoop({ ...bounds, withinMs: SECONDS * 1_000 }, send);
  const cpuMs = (cpu() - before) / timesMs.length;
  await pool.close();
  return { perSecond, p50Ms: percentile(timesMs, 50), cpuMs, failures };
}

/** CPU of a tool's call, API and Postgres together, beside the same operation over REST. */
export async function run(): Promise<void> {
  const world = await startBenchWorld('postgres');
  try {
    const client = await world.system.client({ credits: 1_000, requestsPerMinute: 10_000_000 });
    const schema = { fields: { title: 'h1', price: { css: '.price', type: 'number' } } };
    const created = await client.call('POST', '/v1/parsers', { name: 'bench', schema });
    const { id } = created.json as { id: string };
    const form = new FormData();
    form.append('html', HTML);
    const multipart = new Response(form);
    const operations: { name: string; rest: Ask; args: object }[] = [
      { name: 'get_credits', rest: { path: '/v1/credits', method: 'GET' }, args: {} },
      { name: 'get_parser', rest: { path: `/v1/parsers/${id}`, method: 'GET' }, args: { id } },
      {
        name: 'parse_html',
        rest: {
          path: `/v1/parse/${id}`,
          method: 'POST',
          headers: { 'content-type': multipart.headers.get('content-type') ?? '' },
          body: await multipart.text(),
        },
        args: { parserId: id, html: HTML },
      },
    ];
    const cpu = (): number => {
      const { api, postgres } = world.cpu();
      return api + postgres;
    };
    const rows = [];
    let worst = Number.NEGATIVE_INFINITY;
    for (const { name, rest, args } of operations) {
      const bare = await measure(world.system.baseUrl, client.apiKey, rest, cpu);
      for (const revision of ['2026-07-28', '2025-11-25']) {
        const ours = await measure(world.system.baseUrl, client.apiKey, callOf(name, args, revision), cpu);
        const added = ours.cpuMs - bare.cpuMs;
        worst = Math.max(worst, added);
        const isMet = added <= BAR_MS && ours.failures + bare.failures === 0;
        rows.push({
          tool: name,
          revision,
          'REST CPU ms': rounded(bare.cpuMs, 2),
          'MCP CPU ms': rounded(ours.cpuMs, 2),
          'added ms': rounded(added, 2),
          'p50 ms': rounded(ours.p50Ms, 1),
          'calls/s': Math.round(ours.perSecond),
          failures: ours.failures + bare.failures,
          bar: isMet ? 'met' : `above ${BAR_MS} ms`,
        });
      }
    }
    printTable(rows);
    printResult({
      bench: 'mcp',
      added_cpu_ms: rounded(worst, 2),
      bar_ms: BAR_MS,
      met: rows.every(({ bar }) => bar === 'met'),
    });
  } finally {
    await world.stop();
  }
}
