import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** New pages that a page names. */
const CHILDREN = 10;
/** Pages that a page names and a crawl knows by then. */
const KNOWN = 10;
const FILLING = 'lorem ipsum ';

export interface TreeSite {
  origin: string;
  close(): void;
}

function pageOf(id: number, pages: number, bytes: number): string {
  const children = Array.from({ length: CHILDREN }, (_, place) => id * CHILDREN + place + 1);
  const known = Array.from({ length: KNOWN }, (_, place) => Math.floor(id / (place + 2)));
  const links = [...children.filter((child) => child < pages), ...known].map(
    (to) => `<a href="${to}">${to}</a>\n`,
  );
  const page = `<!doctype html><title>${id}</title><h1>${id}</h1>${links.join('')}<p>`;
  return page + FILLING.repeat(Math.max(0, Math.ceil((bytes - page.length) / FILLING.length)));
}

/**
 * Serves a tree of pages below each folder: `/<folder>/0` is its root, and every page also names some of those before it.
 * @param delayMs before each answer
 */
export async function serveTree(pages: number, bytes: number, delayMs = 0): Promise<TreeSite> {
  const server = createServer((request, response) => {
    const id = Number(request.url?.split('/').at(-1));
    const answer = (): void => {
      if (Number.isInteger(id))
        response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(id, pages, bytes));
      else response.writeHead(404).end();
    };
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
