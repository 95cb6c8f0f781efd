import axe from 'axe-core';
import type { Page } from './start-dashboard.ts';

/** The part of axe in a page that is used here. */
interface AxeInPage {
  _audit: { rules: { id: string; impact: string }[] };
  run(options: object): Promise<{
    violations: {
      id: string;
      impact: string;
      nodes: { target: string[]; failureSummary: string }[];
    }[];
  }>;
}

/** What axe calls serious or critical, as `rule: where`. A page that stays open gets axe once. */
export async function findFaults(page: Page, rules?: string[]): Promise<string[]> {
  // Outside of the page's own policy: the check is not part of it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (only) => {
    const { axe: inPage } = globalThis as unknown as { axe: AxeInPage };
    const matters = (impact: string): boolean => impact === 'serious' || impact === 'critical';
    // A rule's faults have the rule's impact, so a quarter of the rules needn't run.
    const others = inPage._audit.rules.filter(({ impact }) => !matters(impact));
    const found = await inPage.run({
      resultTypes: ['violations'],
      iframes: false,
      preload: false,
      ...(only === undefined
        ? { rules: Object.fromEntries(others.map(({ id }) => [id, { enabled: false }])) }
        : { runOnly: only }),
    });
    return found.violations.filter(({ impact }) => matters(impact));
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}

/** Lists whose columns a phone can't show, and the page if it is too wide. Rows of a table have any number of columns. */
export async function findWide(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=table]:not([aria-label=Rows]), #root')]
      .filter(({ parentElement: box }) => box && box.scrollWidth > box.clientWidth + 1)
      .map((wide) => wide.ariaLabel),
  );
}
