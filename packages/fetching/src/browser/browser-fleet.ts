import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type {
  BrowserPool as CrawleeBrowserPool,
  PlaywrightPlugin as CrawleePlugin,
} from '@crawlee/browser-pool';
import type { Page } from 'playwright';
import type { FetchLog } from '../fetch-types.ts';
import type { BrowserSettings, SandboxState } from './browser-types.ts';
import { createBrowserWatch, endsWithin } from './browser-watch.ts';
import { createChromiumLauncher, type RoutedPageOptions } from './chromium-launcher.ts';
import { findChromium } from './find-chromium.ts';
import { toNavigationFailure } from './navigation-failure.ts';
import { killProcesses } from './process-tree.ts';

type Pool = CrawleeBrowserPool<{ browserPlugins: [CrawleePlugin] }>;

/** The running browsers and their open pages. */
export type BrowserFleet = Awaited<ReturnType<typeof createBrowserFleet>>;

const CLOSE_LIMIT_MS = 5_000;

const runFile = promisify(execFile);

async function readVersion(chromium: string): Promise<string> {
  const { stdout } = await runFile(chromium, ['--version'], { env: {}, timeout: 15_000 });
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? '150.0.0.0';
}

/**
 * Opens a page. A browser may have ended without the pool knowing: the pool then drops it, and another opens the page.
 * @throws AppError fetch_failed, retryable, when that one ended too
 */
async function openPage(pool: Pool, options: RoutedPageOptions): Promise<Page> {
  const open = (): Promise<Page> => pool.newPage({ pageOptions: options });
  try {
    return await open().catch((error: unknown) => {
      if (isDropped(error)) return open();
      throw error;
    });
  } catch (error) {
    throw isDropped(error) ? toNavigationFailure(error, false) : error;
  }
}

/** Whether Crawlee's pool got no page of a browser, which it then gives no more pages. */
function isDropped(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('browserController.newPage() failed');
}

/** Loads the browser libraries. The first page launches the first browser. */
export async function createBrowserFleet(settings: BrowserSettings, log: FetchLog) {
  const [{ chromium }, { BrowserPool, PlaywrightPlugin }] = await Promise.all([
    import('playwright'),
    import('@crawlee/browser-pool'),
  ]);
  const choice = await findChromium({
    executablePath: settings.executablePath,
    playwrightPath: chromium.executablePath(),
  });
  const version = await readVersion(choice.path);
  log.info({ chromium: choice.path, source: choice.source, version }, 'browser chosen');
  let sandbox: SandboxState = 'untried';
  const onNoSandbox = (reason: string): void => {
    sandbox = 'off';
    log.warn(
      { chromium: choice.path, reason },
      'CHROMIUM RUNS WITHOUT ITS SANDBOX: a hostile page that breaks out of Chromium reaches the worker',
    );
  };
  // Chromium refuses to run as root with its sandbox.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) onNoSandbox('the worker runs as root');

  const watch = createBrowserWatch(log, (browser) => {
    const controller = [...pool.activeBrowserControllers].find((one) => one.browser === browser);
    if (controller !== undefined) pool.retireBrowserController(controller);
  });
  const launcher = createChromiumLauncher(chromium, {
    executablePath: choice.path,
    sandbox: !isRoot,
    onNoSandbox,
    onProbed: (isSandboxed) => {
      sandbox = isSandboxed ? 'on' : 'off';
      log.info({ chromium: choice.path, sandbox }, 'browser loads pages');
    },
    onLaunch: watch.add,
  });
  const pool: Pool = new BrowserPool({
    browserPlugins: [new PlaywrightPlugin(launcher, { useIncognitoPages: true, launchOptions: {} })],
    useFingerprints: false,
    maxOpenPagesPerBrowser: settings.pagesPerBrowser ?? 4,
    retireBrowserAfterPageCount: settings.retireAfterPages ?? 100,
    retireInactiveBrowserAfterSecs: 60,
    closeInactiveBrowserAfterSecs: 180,
    operationTimeoutSecs: 20,
    preLaunchHooks: [],
  });

  return {
    chromium: choice.path,
    /** Like `153.0.8010.0`. */
    version,
    sandbox: (): SandboxState => sandbox,
    openPage: (options: RoutedPageOptions): Promise<Page> => openPage(pool, options),
    /** Closes a page. An unresponsive browser is killed with all its processes. */
    closePage: async (page: Page): Promise<void> => {
      const browser = page.context().browser();
      if (await endsWithin(page.close({ runBeforeUnload: false }), CLOSE_LIMIT_MS)) return;
      await watch.kill(browser, 'it does not close a page');
    },
    stats: () => ({ ...watch.stats(), pages: pool.pages.size }),
    close: async (): Promise<void> => {
      const processes = await watch.stop();
      await endsWithin(pool.destroy(), CLOSE_LIMIT_MS);
      killProcesses(processes);
    },
  };
}
