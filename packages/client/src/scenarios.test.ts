import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type Client } from './client.ts';
import { GleanerError } from './errors.ts';
import { verifyWebhook } from './verify-webhook.ts';

/** What the clients of both languages do alike: clients/python/tests runs the same file. */

interface Answer {
  drop?: boolean;
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
}

interface Scenario {
  name: string;
  call?: { id: string; params?: object; query?: object; body?: object };
  list?: { method: string; params: string[]; query: object };
  wait?: { group: string; id: string };
  answers: Answer[];
  requests: { method: string; url: string; json?: unknown; hasKey?: boolean }[];
  result?: unknown;
  error?: object;
}

interface WebhookCase {
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  now: number;
  event?: object;
  error?: string;
}

const file = new URL('../../../clients/scenarios.json', import.meta.url);
const { calls, webhooks } = JSON.parse(readFileSync(file, 'utf8')) as {
  calls: Scenario[];
  webhooks: WebhookCase[];
};

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

async function startService(answers: readonly Answer[]): Promise<{ url: string; seen: Seen[] }> {
  const left = [...answers];
  const seen: Seen[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer?.drop === true) {
      response.destroy();
      return;
    }
    response.writeHead(answer?.status ?? 500, answer?.headers);
    response.end(answer?.text ?? JSON.stringify(answer?.json));
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

type Methods = Record<string, Record<string, (...args: unknown[]) => unknown>>;

async function run(client: Client, { call, list, wait }: Scenario): Promise<unknown> {
  // The scenarios name methods as texts.
  const methods = client as unknown as Methods;
  if (list) {
    const [group = '', method = ''] = list.method.split('.');
    const items = methods[group]?.[method]?.(...list.params, list.query) as AsyncIterable<unknown>;
    const all: unknown[] = [];
    for await (const item of items) all.push(item);
    return all;
  }
  if (wait) return methods[wait.group]?.['waitFor']?.(wait.id);
  const generic = client.call as (id: string, input: object) => Promise<unknown>;
  return generic(call?.id ?? '', { params: call?.params, query: call?.query, body: call?.body });
}

/** The order of a query's parts says nothing. */
function sortedUrl(url: string): string {
  const [path, query = ''] = url.split('?');
  return `${path}?${query.split('&').toSorted().join('&')}`;
}

test.each(calls)('$name', async (scenario) => {
  const { url, seen } = await startService(scenario.answers);
  const client = createClient({ baseUrl: url, apiKey: 'gln_key' });
  const outcome = await run(client, scenario).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (scenario.error) {
    expect(outcome).toHaveProperty('error');
    const { error } = outcome as { error: unknown };
    expect(error).toBeInstanceOf(GleanerError);
    expect(error).toMatchObject(scenario.error);
  } else expect(outcome).toEqual({ result: scenario.result });
  const plain = ({ method, url: path }: { method: string; url: string }) => `${method} ${sortedUrl(path)}`;
  expect(seen.map(plain)).toEqual(scenario.requests.map(plain));
  for (const [index, wanted] of scenario.requests.entries()) {
    const request = seen[index];
    expect(request?.headers['x-api-key']).toBe('gln_key');
    expect(request?.headers['idempotency-key'] !== undefined).toBe(wanted.hasKey === true);
    if (wanted.json !== undefined) expect(JSON.parse(request?.body ?? '')).toEqual(wanted.json);
  }
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test.each(webhooks)('a webhook $name', async ({ secret, headers, body, now, event, error }) => {
  const verified = verifyWebhook(body, headers, secret, { now: () => now * 1_000 });
  if (error === undefined) expect(await verified).toEqual(event);
  else await expect(verified).rejects.toMatchObject({ code: error });
});
