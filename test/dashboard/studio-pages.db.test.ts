import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDashboard, type Dashboard, type Page } from './start-dashboard.ts';
import { clickInPage, pageShown } from './studio-actions.ts';

let dashboard: Dashboard;
let site: Server;
let origin: string;

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A grey picture of one pixel's width. */
function tallPicture(height: number): Buffer {
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  head.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.alloc(height * 2, Buffer.from([0, 128])));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

const FILES: Record<string, { type: string; body: string | Buffer }> = {
  '/pictures': {
    type: 'text/html',
    body: `<h1>Lamps</h1><img src="/tall.png"><br><img src="/tall.png"><p class="last">The last lamp</p>`,
  },
  '/tall.png': { type: 'image/png', body: tallPicture(1_500) },
};

beforeAll(async () => {
  site = createServer((request, response) => {
    const file = FILES[request.url ?? ''];
    if (file) response.writeHead(200, { 'content-type': file.type }).end(file.body);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  dashboard = await startDashboard();
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}, 120_000);
afterAll(async () => {
  await dashboard.close();
  site.close();
});

/** Opens a page of the site in the studio. */
async function openSitePage(page: Page, path: string): Promise<void> {
  const open = encodeURIComponent(`${origin}${path}`);
  await page.goto(`${dashboard.system.baseUrl}/parsers/new?open=${open}`);
  await page.getByRole('button', { name: /^Open for/ }).click();
  await pageShown(page);
}

it('shows what lies under images without a size, and reads it by a click', async () => {
  const page = await dashboard.open({ client: await dashboard.system.client() });
  await openSitePage(page, '/pictures');
  const frame = page.locator('iframe[title^="The page"]');
  await expect
    .poll(() => frame.evaluate((element: HTMLElement) => element.offsetHeight), { timeout: 15_000 })
    .toBeGreaterThan(3_000);
  await clickInPage(page, '.last');
  await page.getByRole('region', { name: 'Values' }).getByText('The last lamp').waitFor();
});
