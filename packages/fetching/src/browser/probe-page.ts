import { withTimeout } from '@gleaner/contracts';
import type { Browser } from 'playwright';

const PAGE_MS = 15_000;

/**
 * Loads a page of our own, without network. A launch can succeed where pages die, for example in a container that
 * allows namespaces but not `chroot`.
 * @throws what Playwright throws, or an Error when the page stays empty
 */
export async function loadProbePage(browser: Browser): Promise<void> {
  const load = async (): Promise<void> => {
    const page = await browser.newPage();
    try {
      await page.goto('data:text/html,<title>probe</title>', { timeout: PAGE_MS });
      if ((await page.title()) !== 'probe') throw new Error('the page stayed empty');
    } finally {
      await page.close();
    }
  };
  await withTimeout(load(), PAGE_MS, () => {
    throw new Error(`no answer within ${PAGE_MS / 1000} s`);
  });
}
