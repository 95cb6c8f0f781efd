import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What the made site answers; it depends on the address alone. */
export interface MadeAnswer {
  status: number;
  location?: string;
  body: string;
}

interface Shape {
  products: number;
  /** Pages of the first category, which link to the next one. */
  pagination: number;
  categories: number;
  /** Least characters of a page. */
  size: number;
  /** Links of each product to others. */
  links: number;
}

/** About 3,000 pages, of which most are products. */
export const SHOP: Shape = { products: 2_700, pagination: 80, categories: 60, size: 0, links: 6 };

const ITEMS = 15;

function link(href: string, name = ''): string {
  return `<a${name} href="${href}">${href}</a>\n`;
}

function wrap(shape: Shape, title: string, body: string, head = ''): MadeAnswer {
  const page = `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>
<h1>${title}</h1><nav>${link('/')}${link('/c/0')}${link('/private/a')}${link('/calendar/2026-1?utm_source=nav')}${link('http://elsewhere.test/')}</nav>
${body}</body></html>`;
  return { status: 200, body: page + `<!-- ${'x'.repeat(Math.max(0, shape.size - page.length))} -->` };
}

/** A number that looks random and is the same each time. */
function mix(...parts: readonly number[]): number {
  let state = 0x9e_37_79_b9;
  for (const part of parts) state = Math.imul(state ^ part, 0x85_eb_ca_6b) ^ (state >>> 13);
  return (state ^ (state >>> 16)) >>> 0;
}

function productPage(shape: Shape, id: number, url: URL): MadeAnswer {
  // A soft 404: it answers 200.
  if (id >= shape.products) return wrap(shape, 'Not found', link('/'));
  if (id % 97 === 13) return { status: 500, body: 'down' };
  const links = Array.from({ length: shape.links }, (_, place) => {
    const to = mix(id, place) % shape.products;
    // Session ids, variants with a canonical, addresses that moved, and products that are gone.
    switch (mix(id, place, 7) % 12) {
      case 0:
        return link(`/p/${to}?sid=${mix(id, place, 9)}`);
      case 1:
        return link(`/p/${to}?color=${place}`);
      case 2:
        return link(`/old/${to}`);
      case 3:
        return link(`/p/${shape.products + (to % 40)}`);
      default:
        return link(`/p/${to}#reviews`);
    }
  });
  const canonical = url.searchParams.has('color') ? `<link rel="canonical" href="/p/${id}">` : '';
  return wrap(
    shape,
    `Product ${id}`,
    `<p class="price">${id}.00</p>${links.join('')}${link(`/away/${id % 30}`)}${link(`/account/${id}`)}`,
    canonical,
  );
}

function categoryPage(shape: Shape, id: number, page: number): MadeAnswer {
  const last = id === 0 ? shape.pagination : 2;
  if (id >= shape.categories || page > last) return { status: 404, body: 'none' };
  const items = Array.from({ length: ITEMS }, (_, place) =>
    link(`/p/${mix(id, page, place, 3) % shape.products}`),
  );
  const next = page < last ? link(`/c/${id}?page=${page + 1}`, ' class="next"') : '';
  const others =
    id === 0 && page === 1 ? Array.from({ length: shape.categories }, (_, n) => link(`/c/${n}`)) : [];
  return wrap(shape, `Category ${id}, page ${page}`, `${items.join('')}${others.join('')}${next}`);
}

/** A shop with cycles, session ids, a calendar without end, redirects, canonical variants, pagination and soft 404s. */
export function answerOf(shape: Shape, url: URL): MadeAnswer {
  const [, kind = '', name = ''] = url.pathname.split('/');
  switch (kind) {
    case '':
      return wrap(
        shape,
        'Shop',
        [link('/c/0'), ...Array.from({ length: 5 }, (_, n) => link(`/p/${n}`))].join(''),
      );
    case 'c':
      return categoryPage(shape, Number(name), Number(url.searchParams.get('page') ?? 1));
    case 'p':
      return productPage(shape, Number(name), url);
    case 'old':
      return { status: 301, location: `/p/${name}`, body: '' };
    case 'away':
      return { status: 302, location: `http://127.0.0.2:9/p/${name}`, body: '' };
    case 'calendar': {
      const [year = 0, month = 0] = name.split('-').map(Number);
      return wrap(shape, name, link(`/calendar/${month === 12 ? year + 1 : year}-${(month % 12) + 1}`));
    }
    case 'robots.txt':
      return { status: 200, body: 'User-agent: *\nDisallow: /private/\nSitemap: /sitemap.xml\n' };
    default:
      return { status: 404, body: 'none' };
  }
}

export interface MadeSite {
  origin: string;
  /** Requests so far, by path and query. */
  hits: Map<string, number>;
  close(): Promise<void>;
}

/** Serves the shop on the loopback. @param latencyMs of a request */
export async function serveShop(shape: Shape, latencyMs: () => number): Promise<MadeSite> {
  const hits = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const { status, location, body } = answerOf(shape, new URL(path, 'http://shop.test'));
    void delay(latencyMs(), undefined, { ref: false }).then(() => {
      const type = path === '/robots.txt' ? 'text/plain' : 'text/html; charset=utf-8';
      response
        .writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) })
        .end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The crawl of the shop that tests and benches make. */
export const SHOP_CRAWL = {
  exclude: ['/account/*'],
  next: ['a.next'],
  ignore_query: ['sid'],
  depth: 30,
} as const;

const MAX_HOPS = 5;

/** What one page after another finds: the pages of the crawl with their outcomes, in order. Written from the rules alone. */
export function crawlShopInOrder(
  shape: Shape,
  origin: string,
  limit: number,
): { url: string; outcome: string }[] {
  const normalise = (href: string, base: string): URL => {
    const url = new URL(href, base);
    url.hash = '';
    for (const name of Array.from(url.searchParams.keys()))
      if (name === 'sid' || name.startsWith('utm_')) url.searchParams.delete(name);
    return url;
  };
  const entries = new Map<string, { depth: number; number: number; isDone: boolean }>();
  let numbers = 0;
  const add = (url: string, depth: number): void => {
    const known = entries.get(url);
    if (depth > SHOP_CRAWL.depth || (known !== undefined && (known.isDone || known.depth <= depth))) return;
    entries.set(url, { depth, number: numbers, isDone: false });
    numbers += 1;
  };
  const taken = new Set<string>();
  const pages: { url: string; outcome: string }[] = [];
  const readOne = (url: string): { outcome: string; identity: string; links: [string, boolean][] } => {
    if (new URL(url).pathname.startsWith('/private/')) return { outcome: 'robots', identity: url, links: [] };
    let at = new URL(url);
    let answer = answerOf(shape, at);
    for (let hops = 0; answer.location !== undefined && hops < MAX_HOPS; hops += 1) {
      at = normalise(answer.location, at.href);
      if (at.origin !== origin) return { outcome: 'out_of_scope', identity: url, links: [] };
      answer = answerOf(shape, at);
    }
    if (answer.status !== 200) return { outcome: 'failed', identity: url, links: [] };
    const [, canonical] = /rel="canonical" href="([^"]+)"/.exec(answer.body) ?? [];
    const links = Array.from(
      answer.body.matchAll(/<a( class="next")? href="([^"]+)"/g),
      ([, next, href = '']): [string, boolean] => [normalise(href, at.href).href, next !== undefined],
    );
    return {
      outcome: 'fetched',
      identity: canonical === undefined ? at.href : normalise(canonical, at.href).href,
      links,
    };
  };
  add(`${origin}/`, 0);
  for (let counted = 0; counted < limit;) {
    let first: [string, { depth: number; number: number; isDone: boolean }] | undefined;
    for (const entry of entries) {
      const [, { depth, number, isDone }] = entry;
      if (
        !isDone &&
        (first === undefined ||
          depth < first[1].depth ||
          (depth === first[1].depth && number < first[1].number))
      )
        first = entry;
    }
    if (first === undefined) break;
    const [url, entry] = first;
    entry.isDone = true;
    if (taken.has(url)) continue;
    const { outcome, identity, links } = readOne(url);
    if (outcome === 'robots' || outcome === 'out_of_scope') continue;
    if (taken.has(identity)) continue;
    taken.add(identity);
    if (!entries.has(identity)) entries.set(identity, { depth: entry.depth, number: -1, isDone: true });
    pages.push({ url, outcome });
    counted += 1;
    for (const [href, isNext] of links) {
      const { origin: host, pathname } = new URL(href);
      if (host === origin && !pathname.startsWith('/account/'))
        add(href, isNext ? entry.depth : entry.depth + 1);
    }
  }
  return pages;
}
