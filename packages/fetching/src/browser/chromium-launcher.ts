import { randomBytes } from 'node:crypto';
import { withTimeout } from '@gleaner/contracts';
import type { Browser, BrowserContextOptions, BrowserType, LaunchOptions, Page } from 'playwright';
import type { ProxyRoute } from '../egress/guard-proxy.ts';
import { findProcesses } from './process-tree.ts';

/**
 * Page options with the page's proxy route. Crawlee puts a second, unauthenticated proxy in front of one given as
 * `proxy`; it passes options with this name on unchanged.
 */
export interface RoutedPageOptions extends BrowserContextOptions {
  guardRoute: ProxyRoute;
}

/** Begins the argument by which a browser's process is found. */
export const BROWSER_MARK = '--gleaner-browser=';

/**
 * Switches that keep all of Chromium's traffic in the proxy: no UDP beside it (WebRTC, QUIC), no local DNS, no pings.
 * Playwright's `proxy` option also removes Chromium's implicit bypass for loopback.
 */
const EGRESS_ARGS = [
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--no-pings',
];

const OTHER_ARGS = [
  '--disable-gpu',
  '--mute-audio',
  '--disable-extensions',
  '--disable-file-system',
  '--disable-speech-api',
  // Chromium writes a page's console messages to its output, where Playwright waits for the end of a line of any length.
  '--enable-logging=none',
];

/** A launched browser and its process id, if known. */
export interface LaunchedBrowser {
  browser: Browser;
  pid: number | undefined;
  launchedAt: number;
}

function asContextOptions(options: unknown): BrowserContextOptions {
  if (typeof options !== 'object' || options === null || !('guardRoute' in options)) {
    throw new Error('a page without a proxy route');
  }
  const { guardRoute, ...rest } = options as RoutedPageOptions;
  // interceptRequests gives the credentials: Playwright would pause every request of the page for them.
  return { ...rest, proxy: { server: guardRoute.server } };
}

export interface ChromiumLauncherOptions {
  executablePath: string;
  /** Whether to try with the sandbox. Where the machine does not support it, browsers run without. */
  sandbox: boolean;
  /** Limit on one launch. Default 30 s. */
  launchMs?: number;
  onNoSandbox(reason: string): void;
  /** The first browser loaded a page. */
  onProbed(isSandboxed: boolean): void;
  onLaunch(launched: LaunchedBrowser): void;
}

function reasonOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}

const PAGE_MS = 15_000;

/**
 * Loads a page of our own, without network. A launch can succeed where pages die, for example in a container that
 * allows namespaces but not `chroot`.
 * @throws what Playwright throws, or an Error when the page stays empty
 */
async function loadProbePage(browser: Browser): Promise<void> {
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

/**
 * Wraps Playwright's Chromium for Crawlee's plugin: it launches with the egress switches and an empty environment, and
 * each page gets its own context with its own proxy route.
 */
export function createChromiumLauncher(chromium: BrowserType, options: ChromiumLauncherOptions): BrowserType {
  let isSandboxed = options.sandbox;
  let isProbed = false;

  const launchOnce = (mark: string, given: LaunchOptions | undefined): Promise<Browser> =>
    chromium.launch({
      headless: true,
      executablePath: options.executablePath,
      chromiumSandbox: isSandboxed,
      args: [...EGRESS_ARGS, ...OTHER_ARGS, mark],
      proxy: given?.proxy,
      env: {},
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: options.launchMs ?? 30_000,
    });

  /** The first browser of a process must load a page: a launch succeeds in some containers where pages die. */
  const launchProbed = async (mark: string, given: LaunchOptions | undefined): Promise<Browser> => {
    const browser = await launchOnce(mark, given);
    if (isProbed) return browser;
    try {
      await loadProbePage(browser);
    } catch (error) {
      await browser.close().catch(() => undefined);
      throw new Error(
        `Chromium starts, but no page loads ${isSandboxed ? 'with' : 'without'} its sandbox: ${reasonOf(error)}`,
        { cause: error },
      );
    }
    isProbed = true;
    options.onProbed(isSandboxed);
    return browser;
  };

  const launchWithSandbox = async (mark: string, given: LaunchOptions | undefined): Promise<Browser> => {
    try {
      return await launchProbed(mark, given);
    } catch (error) {
      const isSandboxMissing = error instanceof Error && /sandbox/i.test(error.message);
      if (!isSandboxed || isProbed || !isSandboxMissing) throw error;
      isSandboxed = false;
      options.onNoSandbox(
        error.message.startsWith('Chromium starts')
          ? error.message
          : 'this machine does not allow user namespaces',
      );
      return launchProbed(mark, given);
    }
  };

  const launch = async (given?: LaunchOptions): Promise<Browser> => {
    const mark = `${BROWSER_MARK}${randomBytes(8).toString('hex')}`;
    const browser = await launchWithSandbox(mark, given);
    const newPage = browser.newPage.bind(browser);
    browser.newPage = (pageOptions): Promise<Page> => newPage(asContextOptions(pageOptions));
    const [pid] = await findProcesses(mark, process.pid);
    options.onLaunch({ browser, pid, launchedAt: Date.now() });
    return browser;
  };
  return new Proxy(chromium, {
    get: (target, name) => (name === 'launch' ? launch : Reflect.get(target, name, target)),
  });
}
