import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Longer than a starved client waits to use a connection again: one that closes meanwhile is an error there. */
const IDLE_MS = 300_000;

/** A web site on the loopback that behaves as its paths say. */
export interface Site {
  url: string;
  /** Requests so far by path, without query. */
  hits(path: string): number;
  /** Requests that the client gave up. */
  aborted(path: string): number;
  /** Requests being answered now. */
  open(): number;
  /** Leaves requests for a path, without query, unanswered until the function that comes back is called. */
  hold(path: string): () => void;
  close(): Promise<void>;
}

export const PRODUCT_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Kettle</title></head>
<body><h1>Blue kettle</h1><p class="price">€ 1,234.50</p><a class="more" href="/more?x=1">more</a>
<ul><li>one</li><li>two</li></ul></body></html>`;

/** Fills itself from /stock.json when it is opened, and from a click. */
const SCRIPTED_PAGE = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1></h1><ul></ul>
<button onclick="document.querySelector('ul').innerHTML = '<li>one</li><li>two</li>'">Show</button>
<script>fetch('/stock.json').then((answer) => answer.json()).then(({ name }) => {
document.querySelector('h1').textContent = name; });</script></body></html>`;

type Responder = (request: IncomingMessage, response: ServerResponse, url: URL) => unknown;

function html(response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
}

let failures = 0;

/** Items of one page of /shop. */
const SHOP_ITEMS = 8;

/** `?page=&pages=`: a page of a catalogue with links to items, a category, and a link to the next page. */
function shopPage(url: URL): string {
  const page = Number(url.searchParams.get('page'));
  const pages = Number(url.searchParams.get('pages'));
  const items = Array.from({ length: SHOP_ITEMS }, (_, index) => {
    const n = (page - 1) * SHOP_ITEMS + index;
    return `<li><a href="/item?n=${n}">Item ${n}</a> <b>${n}.50</b></li>`;
  });
  const next = page < pages ? `<a class="next" href="?page=${page + 1}&pages=${pages}">next</a>` : '';
  return `<h1>Page ${page}</h1><ul>${items.join('')}</ul><a class="self" href="/item?n=0">best</a>${next}`;
}

const ROUTES: Readonly<Record<string, Responder>> = {
  '/product': (_request, response) => html(response, PRODUCT_PAGE),
  /** `?ms=`: answers after that long. */
  '/slow': async (_request, response, url) => {
    await delay(Number(url.searchParams.get('ms')), undefined, { ref: false });
    html(response, PRODUCT_PAGE);
  },
  '/shop': (_request, response, url) => html(response, shopPage(url)),
  /** `?n=`; after a moment, so that a worker can be stopped meanwhile. */
  '/item': async (_request, response, url) => {
    await delay(40, undefined, { ref: false });
    html(response, `<h1>Item ${url.searchParams.get('n')}</h1><p class="stock">in stock</p>`);
  },
  '/gzip': (_request, response) => html(response, gzipSync(PRODUCT_PAGE), { 'content-encoding': 'gzip' }),
  '/br': (_request, response) =>
    html(response, brotliCompressSync(PRODUCT_PAGE), { 'content-encoding': 'br' }),
  '/redirect': (_request, response) => response.writeHead(302, { location: '/product' }).end(),
  '/missing': (_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no</h1>'),
  '/broken': (_request, response) =>
    response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>later</h1>'),
  '/picture': (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
  '/flaky': (_request, response) => {
    failures += 1;
    if (failures % 2 === 1) response.writeHead(503).end();
    else html(response, PRODUCT_PAGE);
  },
  /** Says what it was sent. */
  '/echo': async (request, response) => {
    const body = await text(request);
    const { 'x-own': own, cookie } = request.headers;
    html(response, `<h1>${request.method} ${body} ${String(own)} ${cookie}</h1>`);
  },
  '/scripted': (_request, response) => html(response, SCRIPTED_PAGE),
  '/shell': (_request, response) => html(response, '<div id="root"></div><script src="/shell.js"></script>'),
  '/shell.js': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/javascript' })
      .end("document.querySelector('#root').innerHTML = '<h1>Rendered kettle</h1>'"),
  '/stock.json': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ name: 'Rendered kettle', left: 7 })),
  '/cookie': (request, response) => {
    if (request.headers.cookie?.includes('seen=1') === true) html(response, '<h1>welcome back</h1>');
    else response.writeHead(302, { location: '/cookie', 'set-cookie': 'seen=1; Path=/' }).end();
  },
};

/** @param port 0: any that is free */
export async function startSite({ port: wanted = 0 }: { port?: number } = {}): Promise<Site> {
  const hits = new Map<string, number>();
  const aborted = new Map<string, number>();
  const held = new Map<string, Promise<void>>();
  let open = 0;
  const add = (counts: Map<string, number>, path: string): void => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
  };
  const server = createServer({ keepAliveTimeout: IDLE_MS }, async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://site');
    add(hits, url.pathname);
    open += 1;
    response.once('close', () => {
      open -= 1;
      if (!response.writableFinished) add(aborted, url.pathname);
    });
    await held.get(url.pathname);
    const respond = ROUTES[url.pathname];
    if (respond) void respond(request, response, url);
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no such page</h1>');
  });
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    hits: (path) => hits.get(path) ?? 0,
    aborted: (path) => aborted.get(path) ?? 0,
    open: () => open,
    hold: (path) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(path, promise);
      return () => {
        held.delete(path);
        resolve();
      };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
