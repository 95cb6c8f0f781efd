import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

/** Longer than a starved client waits to use a connection again: one that closes meanwhile is an error there. */
const IDLE_MS = 300_000;

export interface FakeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  cookies: Record<string, string>;
  body: string;
}

export interface FakeAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}

export type FakeSite = (request: FakeRequest) => FakeAnswer;

export function html(body: string, status = 200, headers: Record<string, string> = {}): FakeAnswer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body,
  };
}

export function json(value: unknown, status = 200): FakeAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  };
}

export function redirect(location: string, status = 302): FakeAnswer {
  return {
    status,
    headers: { location },
    body: '',
  };
}

export function notFound(title = 'Page not found'): FakeAnswer {
  return html(`<!DOCTYPE html><html><head><title>${title}</title></head><body></body></html>`, 404);
}

function readCookies(header: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (header ?? '')
      .split(';')
      .map((pair) => pair.trim().split('='))
      .filter((pair) => pair.length >= 2)
      .map(([name = '', ...value]) => [name, value.join('=')]),
  );
}

async function readRequest(message: IncomingMessage): Promise<FakeRequest> {
  const url = new URL(message.url ?? '/', 'http://fake.invalid');
  return {
    method: message.method ?? 'GET',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: message.headers,
    cookies: readCookies(message.headers.cookie),
    body: await text(message),
  };
}

export interface RunningSite {
  origin: string;
  close: () => Promise<void>;
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** Serves one fake site on loopback; `seen` is called with each request before its answer. */
export async function serveSite(
  site: FakeSite,
  { port, seen }: { port: number; seen: (request: FakeRequest) => void },
): Promise<RunningSite> {
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (message, answer) => {
    const respond = async (): Promise<void> => {
      const request = await readRequest(message);
      seen(request);
      const { status = 200, headers = {}, body } = site(request);
      answer.writeHead(status, headers).end(body);
    };
    respond().catch((error: unknown) => answer.writeHead(500).end(String(error)));
  });
  const bound = await listen(server, port);
  return {
    origin: `http://127.0.0.1:${bound}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
