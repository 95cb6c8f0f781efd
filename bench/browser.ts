import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { chromium, type Browser } from 'playwright';
import { parseEgressAllow } from '@gleaner/fetching/egress';
import { createFetcher, type Fetcher } from '@gleaner/fetching';
import { demandProc } from './engine/demand-proc.ts';

const CONCURRENCY = 4;

/** A small page of the usual kind: a style, a script that writes into it, and pictures that nobody reads. */
const PAGE = `<!doctype html><html><head><title>Bench</title><link rel="stylesheet" href="/style.css"></head><body>
<h1>Bench</h1><ul>${Array.from({ length: 60 }, (_item, index) => `<li class="item"><a href="/item/${index}">Item ${index}</a> <b>${index}.99</b></li>`).join('')}</ul>
<img src="/picture.png"><img src="/picture2.png"><div id="root"></div><script src="/app.js"></script></body></html>`;

async function startTarget(): Promise<{ port: number; stop: () => void }> {
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    if (url.endsWith('.css')) response.writeHead(200, { 'content-type': 'text/css' }).end('b { color: red }');
    else if (url.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript' });
      response.end('document.getElementById("root").innerHTML = "<p class=written>written</p>"');
    } else if (url.endsWith('.png')) response.writeHead(200, { 'content-type': 'image/png' }).end('');
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function inLanes(count: number, one: () => Promise<void>): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return count / ((performance.now() - startedAt) / 1_000);
}

/** The least one could write by hand: one browser, a context for each page, pictures left out, no guard. */
async function bareLoad(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route('**/*.png', (route) => route.abort());
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForSelector('.written', { state: 'attached' });
  const html = await page.content();
  if (!html.includes('written')) throw new Error('the script did not run');
  await context.close();
}

async function guardedLoad(fetcher: Fetcher, url: string): Promise<void> {
  const page = await fetcher.fetchPage({
    url,
    config: { useBrowser: true, waitForBrowser: '.written', retries: 0 },
    deadlineAt: Date.now() + 60_000,
    signal: new AbortController().signal,
    accountId: 'acc_bench',
  });
  if (!Buffer.from(page.body).includes('written')) throw new Error('the script did not run');
}

function countProcesses(): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--gleaner-browser=');
    } catch {
      return false;
    }
  }).length;
}

/** Megabytes gained per 100 tasks: the slope of the least-squares line. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return below === 0 ? 0 : (above / below) * 100;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Pages per second against a bare Playwright loop in the same Chromium, then memory and processes over many tasks. */
export async function run(args: string[]): Promise<void> {
  demandProc();
  const { values } = parseArgs({
    args,
    options: {
      tasks: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '3' },
      pages: { type: 'string', default: '40' },
      chromium: { type: 'string' },
    },
  });
  const target = await startTarget();
  const url = `http://127.0.0.1:${target.port}/`;
  const fetcher = await createFetcher(
    {
      egressAllow: parseEgressAllow(`127.0.0.1:${target.port}`),
      browser: { pagesPerBrowser: CONCURRENCY, executablePath: values.chromium },
    },
    { log: QUIET },
  );
  try {
    await guardedLoad(fetcher, url);
    const executablePath = fetcher.stats().browser.chromium;
    const browser = await chromium.launch({
      executablePath,
      chromiumSandbox: fetcher.stats().browser.sandbox === 'on',
    });
    const bare: number[] = [];
    const guarded: number[] = [];
    const pages = Number(values.pages);
    await inLanes(8, () => bareLoad(browser, url));
    for (let round = 0; round < Number(values.rounds); round += 1) {
      bare.push(await inLanes(pages, () => bareLoad(browser, url)));
      guarded.push(await inLanes(pages, () => guardedLoad(fetcher, url)));
    }
    await browser.close();
    const slowdown = median(bare) / median(guarded);
    console.log(`chromium             ${executablePath}`);
    console.log(`bare Playwright      ${median(bare).toFixed(1)} pages/s at ${CONCURRENCY}`);
    console.log(
      `fetchPage            ${median(guarded).toFixed(1)} pages/s at ${CONCURRENCY} (${slowdown.toFixed(2)} ×)`,
    );

    const tasks = Number(values.tasks);
    const points: [number, number][] = [];
    const step = Math.max(10, Math.floor(tasks / 20));
    for (let done = 0; done < tasks; done += step) {
      await inLanes(Math.min(step, tasks - done), () => guardedLoad(fetcher, url));
      globalThis.gc?.();
      points.push([done + step, process.memoryUsage().rss / 1e6]);
    }
    // The first quarter fills caches and compiles.
    const settled = points.slice(Math.ceil(points.length / 4));
    const left = fetcher.stats();
    const slope = slopeOf(settled);
    console.log(
      `${tasks} tasks: worker ${settled[0]?.[1].toFixed(0)} → ${settled.at(-1)?.[1].toFixed(0)} MB, slope ${slope.toFixed(2)} MB per 100 tasks`,
    );
    console.log(
      `browsers launched ${left.browser.launched}, alive ${left.browser.browsers}, open pages ${left.browser.pages}, routes ${left.proxy.routes}`,
    );
    await fetcher.close();
    const processes = countProcesses();
    console.log(`browser processes left after close: ${processes}`);
    console.log(
      JSON.stringify({
        bench: 'browser',
        bare_pages_per_second: median(bare),
        fetch_pages_per_second: median(guarded),
        slowdown,
        tasks,
        slope_mb_per_100_tasks: slope,
        open_pages: left.browser.pages,
        routes: left.proxy.routes,
        processes_left: processes,
      }),
    );
  } finally {
    await fetcher.close();
    target.stop();
  }
}
