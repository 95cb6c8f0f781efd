import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { withTimeout } from '@gleaner/contracts';
import type {
  BrowserPool as CrawleeBrowserPool,
  PlaywrightPlugin as CrawleePlugin,
} from '@crawlee/browser-pool';
import type { CDPSession, Page } from 'playwright';
import type { FetchLog } from '../fetch-types.ts';
import type { BrowserSettings, SandboxState } from './browser-types.ts';
import { createChromiumLauncher, type LaunchedBrowser, type RoutedPageOptions } from './chromium-launcher.ts';
import { findChromium } from './find-chromium.ts';
import { killProcesses, listTree, privateBytesOfTree } from './process-tree.ts';

type Pool = CrawleeBrowserPool<{ browserPlugins: [CrawleePlugin] }>;

/** The running browsers and their open pages. */
export interface BrowserFleet {
  readonly chromium: string;
  /** Like `153.0.8010.0`. */
  readonly version: string;
  sandbox(): SandboxState;
  openPage(options: RoutedPageOptions): Promise<Page>;
  /** Closes a page. An unresponsive browser is killed with all its processes. */
  closePage(page: Page): Promise<void>;
  stats(): { browsers: number; pages: number; launched: number; crashed: number; memoryBytes: number };
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 5_000;
const CHECK_EVERY_MS = 3_000;
const PING_LIMIT_MS = 8_000;

/** Whether work ends, in whatever way, within the limit. */
function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const end = () => true;
  return withTimeout(work.then(end, end), limitMs, () => false);
}

const runFile = promisify(execFile);

async function readVersion(chromium: string): Promise<string> {
  const { stdout } = await runFile(chromium, ['--version'], { env: {}, timeout: 15_000 });
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? '150.0.0.0';
}

interface KnownBrowser extends LaunchedBrowser {
  memoryBytes: number;
  isRetired: boolean;
  session: Promise<CDPSession> | undefined;
  isPinged: boolean;
}

/** Loads the browser libraries. The first page launches the first browser. */
export async function createBrowserFleet(settings: BrowserSettings, log: FetchLog): Promise<BrowserFleet> {
  const [{ chromium }, { BrowserPool, PlaywrightPlugin }] = await Promise.all([
    import('playwright'),
    import('@crawlee/browser-pool'),
  ]);
  const choice = await findChromium({
    executablePath: settings.executablePath,
    unpackDir: settings.unpackDir,
    playwrightPath: chromium.executablePath(),
  });
  const version = await readVersion(choice.path);
  const isRoot = process.getuid?.() === 0;
  // Chromium refuses to run as root with its sandbox.
  const sandbox = settings.sandbox ?? (isRoot ? false : undefined);
  let state: SandboxState = 'untried';
  const warnOfNoSandbox = (reason: string): void => {
    state = 'off';
    log.warn(
      { chromium: choice.path, reason },
      'CHROMIUM RUNS WITHOUT ITS SANDBOX: a hostile page that breaks out of Chromium reaches the worker',
    );
  };
  if (sandbox === false) warnOfNoSandbox(isRoot ? 'the worker runs as root' : 'the settings say so');
  log.info({ chromium: choice.path, source: choice.source, version }, 'browser chosen');

  const known = new Map<unknown, KnownBrowser>();
  const counts = { launched: 0, crashed: 0 };
  let isClosing = false;

  const retire = (entry: KnownBrowser, reason: string): void => {
    if (entry.isRetired) return;
    entry.isRetired = true;
    const controller = [...pool.activeBrowserControllers].find(({ browser }) => browser === entry.browser);
    log.debug({ pid: entry.pid, reason }, 'browser retired');
    if (controller !== undefined) pool.retireBrowserController(controller);
  };

  const launcher = createChromiumLauncher(chromium, {
    executablePath: choice.path,
    sandbox,
    onNoSandbox: warnOfNoSandbox,
    onProbed: (isSandboxed) => {
      state = isSandboxed ? 'on' : 'off';
      log.info({ chromium: choice.path, sandbox: state }, 'browser loads pages');
    },
    onLaunch: (launched) => {
      const entry: KnownBrowser = {
        ...launched,
        memoryBytes: 0,
        isRetired: false,
        session: undefined,
        isPinged: false,
      };
      known.set(launched.browser, entry);
      counts.launched += 1;
      launched.browser.once('disconnected', () => {
        known.delete(launched.browser);
        if (isClosing || entry.isRetired) return;
        counts.crashed += 1;
        log.warn({ pid: launched.pid }, 'browser ended unexpectedly');
        retire(entry, 'crashed');
      });
    },
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

  const kill = async (entry: KnownBrowser, reason: string): Promise<void> => {
    retire(entry, reason);
    log.warn({ pid: entry.pid, reason }, 'killing browser');
    if (entry.pid !== undefined) killProcesses(await listTree(entry.pid));
  };

  const measure = async (): Promise<void> => {
    for (const entry of known.values()) {
      if (entry.pid === undefined) continue;
      entry.memoryBytes = await privateBytesOfTree(entry.pid);
      const tooMuch = settings.retireAboveBytes ?? 1.5e9;
      if (entry.memoryBytes > tooMuch) retire(entry, 'memory');
      if (entry.memoryBytes > 2 * tooMuch) await kill(entry, 'it uses too much memory');
      if (Date.now() - entry.launchedAt > (settings.retireAfterMs ?? 900_000)) retire(entry, 'age');
    }
  };

  /** Kills a browser that runs but does not answer, because its pages would wait forever. */
  const ping = async (entry: KnownBrowser): Promise<void> => {
    if (entry.isPinged) return;
    entry.isPinged = true;
    entry.session ??= entry.browser.newBrowserCDPSession();
    const answer = entry.session.then((session) => session.send('Browser.getVersion'));
    if (!(await endsWithin(answer, PING_LIMIT_MS))) await kill(entry, 'it does not respond');
    entry.isPinged = false;
  };

  const check = async (): Promise<void> => {
    for (const entry of known.values()) void ping(entry);
    await measure();
  };
  const measuring = setInterval(() => void check(), CHECK_EVERY_MS);
  measuring.unref();

  return {
    chromium: choice.path,
    version,
    sandbox: () => state,
    openPage: async (options) => pool.newPage({ pageOptions: options }),
    closePage: async (page) => {
      const browser = page.context().browser();
      if (await endsWithin(page.close({ runBeforeUnload: false }), CLOSE_LIMIT_MS)) return;
      const entry = known.get(browser);
      if (entry !== undefined) await kill(entry, 'it does not close a page');
    },
    stats: () => ({
      browsers: known.size,
      pages: pool.pages.size,
      ...counts,
      memoryBytes: [...known.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    }),
    close: async () => {
      isClosing = true;
      clearInterval(measuring);
      const left = [...known.values()];
      const trees = await Promise.all(left.map(async ({ pid }) => (pid === undefined ? [] : listTree(pid))));
      await endsWithin(pool.destroy(), CLOSE_LIMIT_MS);
      killProcesses(trees.flat().filter((pid) => isRunning(pid)));
    },
  };
}

/** Whether a process still runs. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
