import type { Page } from './start-dashboard.ts';

/** Waits until the studio shows its page. */
export async function pageShown(page: Page): Promise<void> {
  await page.getByRole('application', { name: /^Page/ }).waitFor();
}

/** Clicks where something lies in the page that the studio shows. */
export async function clickInPage(page: Page, selector: string, nth = 0): Promise<void> {
  await pageShown(page);
  const element = page.frameLocator('iframe[title^="The page"]').locator(selector).nth(nth);
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  await page.mouse.click(box.x + Math.min(12, box.width / 2), box.y + box.height / 2);
}

/** Opens the studio, with a new parser unless a path says otherwise, with a page from a file. */
export async function openHtml(
  page: Page,
  baseUrl: string,
  html: string,
  path = '/parsers/new',
): Promise<void> {
  await page.goto(`${baseUrl}${path}`);
  await page.getByRole('button', { name: 'Paste HTML' }).click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from(html) });
  await pageShown(page);
}
