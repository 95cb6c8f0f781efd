import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A web server on loopback that gives configured answers and records its requests. */
export interface TestSite {
  readonly port: number;
  readonly origin: string;
  /** `host:port`, for an allow list. */
  readonly host: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

export type RequestHandler = (request: SeenRequest, response: ServerResponse) => void;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export async function startTestSite(answer: RequestHandler): Promise<TestSite> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      requests.push(seen);
      answer(seen, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers with a page. */
export function sendPage(response: ServerResponse, html: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
  response.end(html);
}
