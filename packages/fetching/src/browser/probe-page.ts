import { setTimeout as sleep } from 'node:timers/promises';
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
  const stop = new AbortController();
  const late = sleep(PAGE_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no answer within ${PAGE_MS / 1000} s`);
  });
  late.catch(() => undefined);
  const work = load();
  work.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}
