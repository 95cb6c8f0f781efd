import { compileCrawl, readLinks } from '@gleaner/extractors/crawl';
import { parseHtml } from '@gleaner/html';
import { Pool } from 'undici';
import { SHOP_CRAWL } from '../../test/crawl/made-site.ts';
import { crawlField } from '@gleaner/contracts';

/** A crawl without order in one process, with nothing around it: fetch, parse, follow what is new. Prints wall and CPU as JSON. */
const [start = '', slots = '64'] = process.argv.slice(2);
const { origin } = new URL(start);
const rules = compileCrawl({ start: [start], crawl: crawlField.parse(SHOP_CRAWL), routes: [] });
const pool = new Pool(origin, { connections: Number(slots) });
const seen = new Set([start]);
const waiting = [{ url: start, depth: 0 }];
let [open, pages] = [0, 0];

async function fetchText(url: string, hops = 0): Promise<string | undefined> {
  const { statusCode, headers, body } = await pool.request({ path: url.slice(origin.length), method: 'GET' });
  const text = await body.text();
  if (statusCode === 200) return text;
  const target = rules.normalise(String(headers['location'] ?? ''), url);
  if (statusCode < 300 || statusCode > 399 || hops > 4 || target === null || rules.judge(target) !== 'ok')
    return undefined;
  return fetchText(target, hops + 1);
}

async function visit({ url, depth }: { url: string; depth: number }): Promise<void> {
  const text = await fetchText(url);
  if (text === undefined) return;
  pages += 1;
  for (const line of readLinks(parseHtml(text), { url, finalUrl: url }, rules).lines) {
    const [found = ''] = line.slice(4).split('\t');
    // The calendar has no end.
    if (line[1] !== '+' || depth >= SHOP_CRAWL.depth || seen.has(found)) continue;
    seen.add(found);
    waiting.push({ url: found, depth: line.startsWith('n') ? depth : depth + 1 });
  }
}

const cpu = process.cpuUsage();
const startedAt = performance.now();
await new Promise<void>((resolve) => {
  const next = (): void => {
    while (open < Number(slots) && waiting.length > 0) {
      open += 1;
      void visit(waiting.shift() ?? { url: start, depth: 0 })
        .catch(() => undefined)
        .finally(() => {
          open -= 1;
          next();
        });
    }
    if (open === 0) resolve();
  };
  next();
});
const wallMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1_000, pages }));
await pool.close();
