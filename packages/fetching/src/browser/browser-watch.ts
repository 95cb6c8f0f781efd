import { withTimeout } from '@gleaner/contracts';
import type { Browser, CDPSession } from 'playwright';
import type { FetchLog } from '../fetch-types.ts';
import type { LaunchedBrowser } from './chromium-launcher.ts';
import { killProcesses, listTree, privateBytesOfTree } from './process-tree.ts';

const CHECK_EVERY_MS = 3_000;
const PING_LIMIT_MS = 8_000;
/** A browser whose processes together use more memory is replaced; above twice as much it is killed. */
const MAX_BYTES = 1.5e9;
const MAX_AGE_MS = 900_000;

/** Whether work ends, in whatever way, within the limit. */
export function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const end = () => true;
  return withTimeout(work.then(end, end), limitMs, () => false);
}

interface KnownBrowser extends LaunchedBrowser {
  memoryBytes: number;
  isRetired: boolean;
  session: Promise<CDPSession> | undefined;
  isPinged: boolean;
}

/**
 * Watches the running browsers: retires those that are old or large, kills those that don't respond.
 * @param onRetire gives the browser no new pages, and closes it after its last one
 */
export function createBrowserWatch(log: FetchLog, onRetire: (browser: Browser) => void) {
  const known = new Map<Browser | null, KnownBrowser>();
  const counts = { launched: 0, crashed: 0 };
  let isStopped = false;

  const retire = (entry: KnownBrowser, reason: string): void => {
    if (entry.isRetired) return;
    entry.isRetired = true;
    log.debug({ pid: entry.pid, reason }, 'browser retired');
    onRetire(entry.browser);
  };

  const kill = async (entry: KnownBrowser, reason: string): Promise<void> => {
    retire(entry, reason);
    log.warn({ pid: entry.pid, reason }, 'killing browser');
    if (entry.pid !== undefined) killProcesses(await listTree(entry.pid));
  };

  const measure = async (): Promise<void> => {
    for (const entry of known.values()) {
      if (entry.pid === undefined) continue;
      entry.memoryBytes = await privateBytesOfTree(entry.pid);
      if (entry.memoryBytes > MAX_BYTES) retire(entry, 'memory');
      if (entry.memoryBytes > 2 * MAX_BYTES) await kill(entry, 'it uses too much memory');
      if (Date.now() - entry.launchedAt > MAX_AGE_MS) retire(entry, 'age');
    }
  };

  /** Kills a browser that runs but does not answer, because its pages would wait forever. */
  const ping = async (entry: KnownBrowser): Promise<void> => {
    if (entry.isPinged) return;
    entry.isPinged = true;
    entry.session ??= entry.browser.newBrowserCDPSession();
    const pong = entry.session.then((session) => session.send('Browser.getVersion'));
    if (!(await endsWithin(pong, PING_LIMIT_MS))) await kill(entry, 'it does not respond');
    entry.isPinged = false;
  };

  const checking = setInterval(() => {
    for (const entry of known.values()) void ping(entry);
    void measure();
  }, CHECK_EVERY_MS);
  checking.unref();

  return {
    add: (launched: LaunchedBrowser): void => {
      const { browser, pid } = launched;
      const entry = { ...launched, memoryBytes: 0, isRetired: false, session: undefined, isPinged: false };
      known.set(browser, entry);
      counts.launched += 1;
      browser.once('disconnected', () => {
        known.delete(browser);
        if (isStopped || entry.isRetired) return;
        counts.crashed += 1;
        log.warn({ pid }, 'browser ended unexpectedly');
        retire(entry, 'crashed');
      });
    },
    /** Kills a browser with all its processes. Does nothing for one that has ended. */
    kill: async (browser: Browser | null, reason: string): Promise<void> => {
      const entry = known.get(browser);
      if (entry !== undefined) await kill(entry, reason);
    },
    stats: () => ({
      browsers: known.size,
      ...counts,
      memoryBytes: [...known.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    }),
    /** Stops watching. @returns the processes of the browsers that run now */
    stop: async (): Promise<number[]> => {
      isStopped = true;
      clearInterval(checking);
      const pids = [...known.values()].flatMap(({ pid }) => pid ?? []);
      return (await Promise.all(pids.map(listTree))).flat();
    },
  };
}
