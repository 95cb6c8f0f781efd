import { chromium, type Browser } from 'playwright';
import { findChromium } from '../browser/find-chromium.ts';

export type { Browser, BrowserContext, Page } from 'playwright';

/** The Chromium that this project finds, for tests of pages of our own: without the guard, and without a sandbox. */
export async function launchChromium(): Promise<Browser> {
  const { path } = await findChromium({ playwrightPath: chromium.executablePath() });
  return chromium.launch({
    executablePath: path,
    chromiumSandbox: false,
    args: ['--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'],
  });
}
