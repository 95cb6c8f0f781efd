import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the target site saw: the only witness that does not believe our own records. */
export interface ChaosSite {
  url: string;
  /** Most requests of one account that were under way at once. */
  peak(account: string): number;
  /** Pages that were served. */
  served(): number;
  /** Pages that were served more than once. */
  servedAgain(): number;
  /** Longest time from a fetch that was cut off to the next fetch of the same page, in ms. */
  longestGapMs(): number;
  /** Forgets cut-off fetches: gaps are measured from here on. */
  resetGaps(): void;
  close(): Promise<void>;
}

/** The links of a workflow's pages: `/<account>/list/w<round>-<page>-<pages>-<items>` to items and the next page, items to one more page. */
function linksOf(path: string): string {
  const [, account = '', kind = '', name = ''] = path.split('/');
  if (!name.startsWith('w') || name.endsWith('-more')) return '';
  if (kind !== 'list') return `<a class="more" href="/${account}/ok/${name}-more">more</a>`;
  const [round = '', page = '', pages = '', items = ''] = name.split('-');
  const links = Array.from({ length: Number(items) }, (_, index) => {
    const of = index % 50 === 7 ? 'gone' : index % 20 === 3 ? 'flaky' : 'ok';
    return `<a class="item" href="/${account}/${of}/${round}-${page}-${index}">item</a>`;
  });
  if (Number(page) < Number(pages))
    links.push(
      `<a class="next" href="/${account}/list/${round}-${Number(page) + 1}-${pages}-${items}">next</a>`,
    );
  return links.join('');
}

/**
 * Texts that Postgres refuses when they are cut or passed on carelessly: emoji at the places where errors and shapes are
 * cut, NUL, C1, escapes of halves, a long word. None holds a number.
 */
const HOSTILE_TEXTS: readonly string[] = [
  `${'a'.repeat(56)}\u{1F600} call us`,
  `x${'\u{1F600}'.repeat(40)}`,
  'NUL \0 and &#0; and \u0085\u009F',
  String.raw`\udbff \udead {"__proto__":"\udcba"}`,
  '&#xD83D; &#xDE00; __proto__',
  `\u202E${'\u{1F468}\u200D'.repeat(3_000)}`,
];

/** The word in the results that the world's Postgres refuses. */
export const REFUSED = 'refused-by-postgres';

function bodyOf(path: string, kind: string): string {
  const text = HOSTILE_TEXTS[Math.floor(Number(/\d+$/.exec(path)?.[0]) / 50) % HOSTILE_TEXTS.length] ?? '';
  const added: Readonly<Record<string, string>> = { hostile: text, refused: REFUSED };
  return `<h1>${path} ${added[kind] ?? ''}</h1><p class="price">${kind === 'unread' ? text : '12.50'}</p>${linksOf(path)}`;
}

function PAGE(path: string, kind: string): string {
  return `<!doctype html><html><head><title>${path}</title></head><body>${bodyOf(path, kind)}</body></html>`;
}

/**
 * `/<account>/<kind>/<n>`: `ok` answers after 30 to 90 ms, `flaky` fails the first time, `gone` is a 404, `hostile` has a
 * title that Postgres may refuse, `unread` a price that is none, `refused` a title that Postgres does refuse.
 * @param random between 0 and 1
 */
export async function startChaosSite(random: () => number): Promise<ChaosSite> {
  const open = new Map<string, number>();
  const peaks = new Map<string, number>();
  const served = new Map<string, number>();
  const tried = new Set<string>();
  const cutAt = new Map<string, number>();
  let longestGapMs = 0;

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const [, account = '', kind = ''] = path.split('/');
    const now = (open.get(account) ?? 0) + 1;
    open.set(account, now);
    peaks.set(account, Math.max(peaks.get(account) ?? 0, now));
    const cut = cutAt.get(path);
    if (cut !== undefined) {
      longestGapMs = Math.max(longestGapMs, performance.now() - cut);
      cutAt.delete(path);
    }
    let isAnswered = false;
    response.once('close', () => {
      open.set(account, (open.get(account) ?? 1) - 1);
      if (!isAnswered) cutAt.set(path, performance.now());
    });
    setTimeout(
      () => {
        if (response.destroyed) return;
        isAnswered = true;
        if (kind === 'gone') response.writeHead(404).end();
        else if (kind === 'flaky' && !tried.has(path)) {
          tried.add(path);
          response.writeHead(503).end();
        } else {
          served.set(path, (served.get(path) ?? 0) + 1);
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE(path, kind));
        }
      },
      30 + random() * 60,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    peak: (account) => peaks.get(account) ?? 0,
    served: () => served.size,
    servedAgain: () => [...served.values()].filter((count) => count > 1).length,
    longestGapMs: () => longestGapMs,
    resetGaps: () => {
      longestGapMs = 0;
      cutAt.clear();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
