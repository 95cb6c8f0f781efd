import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longer than a starved client waits to use a connection again: one that closes meanwhile is an error there. */
const IDLE_MS = 300_000;

export interface Shop {
  url: string;
  /** The address of a product. */
  product(number: number): string;
  /** From now on pages have another template. */
  redesign(): void;
  /** Pages have another template after this number of further pages. */
  redesignAfter(pages: number): void;
  /** Pages that were asked for. */
  hits(): number;
  close(): Promise<void>;
}

/**
 * What the product's page says, whatever its template. Any few dozen products have the usual values of all, so that a
 * parser that learned from some of them finds the others usual.
 */
export function productOf(number: number): { title: string; price: number; maker: string } {
  const maker = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm'][number % 5] ?? 'Alder';
  const price = 50.5 + ((number * 37) % 60);
  return { title: `Kettle ${maker} No. ${100 + number}`, price, maker: `${maker} Works` };
}

function oldPage(number: number): string {
  const { title, price, maker } = productOf(number);
  return `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1 class="title">${title}</h1>
<p class="price">$${price.toFixed(2)}</p><p class="maker">${maker}</p><p class="seal">Tested by lab ${number}</p></body></html>`;
}

/** The same product after the redesign: none of the old classes and elements, and no seal. */
function newPage(number: number): string {
  const { title, price, maker } = productOf(number);
  return `<!doctype html><html lang="en"><head><title>The new shop</title></head><body><main>
<div class="product-name">${title}</div><dl><dt>Our price:</dt><dd class="amount">$${price.toFixed(2)}</dd>
<dt>Made by:</dt><dd class="brand">${maker}</dd></dl></main></body></html>`;
}

/** A shop on the loopback that changes its template when a test says so. */
export async function startShop(): Promise<Shop> {
  let hits = 0;
  let changesAt = Number.POSITIVE_INFINITY;
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (request, response) => {
    const number = Number(/^\/p\/(\d+)/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no such page</h1>');
      return;
    }
    const isOld = hits < changesAt || request.url?.endsWith('?old') === true;
    const page = isOld ? oldPage(number) : newPage(number);
    hits += 1;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    product: (number) => `${url}/p/${number}`,
    redesign: () => {
      changesAt = hits;
    },
    redesignAfter: (pages) => {
      changesAt = hits + pages;
    },
    hits: () => hits,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
