import { findChromium, type ChromiumChoice } from './find-chromium.ts';
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

/** A Chromium that started and loaded a page. */
export interface ChromiumProbe extends ChromiumChoice {
  version: string;
  /** Absent: it runs with its sandbox. */
  noSandboxReason: string | undefined;
}

const LAUNCH_MS = 8_000;

/**
 * Finds Chromium, launches it as a worker does and loads one page of its own. A launch can succeed where pages die, so
 * the page decides whether the sandbox holds.
 * @throws AppError when there is none; what Playwright throws when it does not start or its page does not load
 */
export async function probeChromium(executablePath: string | undefined): Promise<ChromiumProbe> {
  const { chromium } = await import('playwright');
  const choice = await findChromium({
    ...(executablePath === undefined ? {} : { executablePath }),
    playwrightPath: chromium.executablePath(),
  });
  const load = async (chromiumSandbox: boolean): Promise<string> => {
    const browser = await chromium.launch({
      headless: true,
      executablePath: choice.path,
      chromiumSandbox,
      args: ['--disable-gpu'],
      env: {},
      timeout: LAUNCH_MS,
    });
    try {
      await loadProbePage(browser);
      return browser.version();
    } finally {
      await browser.close();
    }
  };
  // Chromium refuses to run as root with its sandbox.
  if (process.getuid?.() === 0) {
    return { ...choice, version: await load(false), noSandboxReason: 'this user is root' };
  }
  try {
    return { ...choice, version: await load(true), noSandboxReason: undefined };
  } catch {
    const version = await load(false);
    return { ...choice, version, noSandboxReason: 'no page loads with it on this machine' };
  }
}
