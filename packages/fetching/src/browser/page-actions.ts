import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, ACTION_KINDS, type ActionKind, type BrowserAction, cutText } from '@gleaner/contracts';
import type { Locator, Page } from 'playwright';
import { timedOut } from '../http/fetch-failure.ts';
import { remainingMs } from './navigation-waits.ts';
import { repeatStep, type RepeatedRun } from './repeat-step.ts';

/** How long an action waits for its element, unless it is a `wait`. */
const ELEMENT_PATIENCE_MS = 10_000;

interface ActionRun extends RepeatedRun {
  page: Page;
  signal: AbortSignal;
}

/** Runs in the page. */
function scrollToEnd(): void {
  window.scrollTo(0, document.documentElement.scrollHeight);
}

// The contract has checked that it is a CSS selector, so it can't name another engine of Playwright's.
function locate(page: Page, selector: string): Locator {
  return page.locator(`css=${selector}`).first();
}

function patience({ deadlineAt }: ActionRun): { timeout: number } {
  return { timeout: Math.min(ELEMENT_PATIENCE_MS, remainingMs(deadlineAt)) };
}

/** Clicks until no such element can be clicked: it is gone, hidden or disabled. */
function clickUntilGone(run: ActionRun, selector: string): Promise<void> {
  const button = run.page.locator(`css=${selector}`).filter({ visible: true }).first();
  const isThere = async (): Promise<boolean> =>
    (await button.count()) > 0 && (await button.isEnabled(patience(run)).catch(() => false));
  return repeatStep(run, async () => {
    if (!(await isThere())) return false;
    try {
      await button.click(patience(run));
    } catch (error) {
      // It may go away between the look and the click.
      if (await isThere()) throw error;
      return false;
    }
    return true;
  });
}

/** How much the page shows. Runs in the page. */
function extentOf(): string {
  const { scrollHeight, textContent } = document.documentElement;
  return `${scrollHeight} ${textContent.length} ${document.querySelectorAll('*').length}`;
}

/** Scrolls to the end until that adds nothing. */
async function scrollUntilStable(run: ActionRun): Promise<void> {
  let before = '';
  await repeatStep(run, async () => {
    const extent = await run.page.evaluate(extentOf);
    if (extent === before) return false;
    before = extent;
    await run.page.evaluate(scrollToEnd);
    return true;
  });
}

type Perform<Kind extends ActionKind> = (
  run: ActionRun,
  value: NonNullable<BrowserAction[Kind]>,
) => Promise<unknown>;

const PERFORM: { [Kind in ActionKind]: Perform<Kind> } = {
  click: (run, selector) => locate(run.page, selector).click(patience(run)),
  type: async (run, { into, text }) => {
    const field = locate(run.page, into);
    await field.fill('', patience(run));
    await field.pressSequentially(text, { timeout: remainingMs(run.deadlineAt) });
  },
  press: ({ page }, key) => page.keyboard.press(key),
  select: (run, { in: selector, value }) => locate(run.page, selector).selectOption(value, patience(run)),
  scroll: (run, to) =>
    to === 'end'
      ? run.page.evaluate(scrollToEnd)
      : locate(run.page, to).scrollIntoViewIfNeeded(patience(run)),
  wait: async (run, what) => {
    const leftMs = remainingMs(run.deadlineAt);
    if (typeof what === 'string')
      return locate(run.page, what).waitFor({ state: 'attached', timeout: leftMs });
    if (what * 1_000 >= leftMs) throw timedOut();
    return sleep(what * 1_000, undefined, { signal: run.signal });
  },
};

function selectorOf(action: BrowserAction): string | undefined {
  const { click, type, select, scroll, wait } = action;
  return click ?? type?.into ?? select?.in ?? scroll ?? (typeof wait === 'string' ? wait : undefined);
}

/** The reason in one line: Playwright's message without its log. */
function reasonOf(error: Error, action: BrowserAction): string {
  const selector = selectorOf(action);
  if (error.name === 'TimeoutError' && selector !== undefined) {
    const isThere = /locator resolved to/.test(error.message);
    return isThere
      ? `${selector} can't be used: it is hidden, covered or disabled`
      : `nothing matched ${selector}`;
  }
  return cutText((error.message.split('\n')[0] ?? '').replace(/^[\w.]+: /, ''), 200);
}

function performKind<Kind extends ActionKind>(
  run: ActionRun,
  kind: Kind,
  action: BrowserAction,
): Promise<unknown> {
  if (action.until === 'gone' && action.click !== undefined) return clickUntilGone(run, action.click);
  if (action.until === 'stable') return scrollUntilStable(run);
  const value = action[kind];
  return value === undefined ? Promise.resolve() : PERFORM[kind](run, value);
}

/**
 * Does one action in the page.
 * @throws AppError fetch_timed_out when its element did not appear, fetch_failed when the action can't be done on it
 */
export async function performAction(run: ActionRun, action: BrowserAction, index: number): Promise<void> {
  const kind = ACTION_KINDS.find((name) => action[name] !== undefined);
  if (kind === undefined) return;
  try {
    await performKind(run, kind, action);
  } catch (error) {
    if (error instanceof AppError || run.signal.aborted || !(error instanceof Error)) throw error;
    if (run.page.isClosed()) throw error;
    const isLate = error.name === 'TimeoutError';
    throw new AppError(isLate ? 'fetch_timed_out' : 'fetch_failed', {
      field: `scrape_config.actions[${index}].${kind}`,
      detail: reasonOf(error, action),
      cause: error,
      ...(isLate ? {} : { retryable: false }),
    });
  }
}
