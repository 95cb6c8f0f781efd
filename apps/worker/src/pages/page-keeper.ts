import { keepsPage, withTimeout } from '@gleaner/contracts';
import { keepPages, type PageKeeping, type PageToKeep, type RunSpec, type TaskOutcome } from '@gleaner/core';

/** Pages are stored when this number of bytes waits, or after this time. */
const FLUSH_BYTES = 8 * 1024 * 1024;
const FLUSH_MS = 500;
/** Tasks wait for room when more bytes are in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** A task waits this long; then its page is dropped, so that a slow store stops no run. */
const ROOM_WITHIN_MS = 2_000;
/** Rows of one statement. */
const MAX_PAGES = 200;

export interface OfferedPage {
  run: RunSpec;
  seq: number;
  outcome: TaskOutcome;
}

/** Stores pages that runs keep, beside the tasks. What a crash loses is a page that nobody can look at. */
export interface PageKeeper {
  /** Whether outcomes of this run need their pages. */
  returnsBody(run: RunSpec): boolean;
  /** Takes the page of a task if its run keeps it. A promise: the task waits for it before it frees its slot. */
  offer(page: OfferedPage): Promise<void> | undefined;
  /** Stores what waits. */
  close(): Promise<void>;
}

export interface PageKeeperDeps extends PageKeeping {
  log: { warn: (fields: object, message: string) => void };
}

export function createPageKeeper(deps: PageKeeperDeps): PageKeeper {
  let waiting: PageToKeep[] = [];
  let waitingBytes = 0;
  let storingBytes = 0;
  let storing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const storeSome = async (pages: readonly PageToKeep[]): Promise<void> => {
    try {
      await keepPages(deps, pages);
    } catch (error) {
      deps.log.warn({ err: error, pages: pages.length }, 'pages were not kept');
    }
  };
  const storeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const pages = waiting;
      waiting = [];
      storingBytes = waitingBytes;
      waitingBytes = 0;
      for (const own of Map.groupBy(pages, ({ accountId }) => accountId).values()) {
        for (let start = 0; start < own.length; start += MAX_PAGES)
          await storeSome(own.slice(start, start + MAX_PAGES));
      }
      storingBytes = 0;
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    storing ??= storeAll().finally(() => {
      storing = undefined;
    });
    return storing;
  };
  const waitForRoom = (): Promise<void> => withTimeout(flush(), ROOM_WITHIN_MS, () => undefined);
  const add = (page: PageToKeep): void => {
    waiting.push(page);
    waitingBytes += page.page.body.length;
    if (waitingBytes >= FLUSH_BYTES) void flush();
    else timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  };

  return {
    returnsBody: ({ config: { keepPages: keep = 'failed' }, sink }) =>
      keep !== 'none' || (sink?.mode === 'database' && sink.on_drift !== undefined),
    offer: ({ run, seq, outcome }) => {
      const { page, isPageHeld: isHeld = false } = outcome;
      const keep = run.config.keepPages ?? 'failed';
      if (page === undefined || !(isHeld || keepsPage(keep, seq, outcome.ok))) return undefined;
      const kept: PageToKeep = {
        accountId: run.accountId,
        runNo: run.no,
        runId: run.id,
        seq,
        page,
        error: outcome.ok ? undefined : outcome.error.code,
        isLimited: !isHeld && !outcome.ok && keep !== 'all',
      };
      if (waitingBytes + storingBytes < MAX_BYTES) {
        add(kept);
        return undefined;
      }
      return waitForRoom().then(() => {
        if (waitingBytes + storingBytes < MAX_BYTES) add(kept);
        else deps.log.warn({ runId: run.id }, 'a page was not kept: the store is slow');
      });
    },
    close: flush,
  };
}
