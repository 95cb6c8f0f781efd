import axe from 'axe-core';
import type { Page } from './start-dashboard.ts';

/** What axe calls serious or critical, as `rule: where`. */
export async function findFaults(page: Page, rules?: string[]): Promise<string[]> {
  // Outside of the page's own policy: the check is not part of it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const results = await page.evaluate(
    (only) =>
      (
        globalThis as unknown as {
          axe: {
            run: (options: object) => Promise<{
              violations: {
                id: string;
                impact: string;
                nodes: { target: string[]; failureSummary: string }[];
              }[];
            }>;
          };
        }
      ).axe.run({
        resultTypes: ['violations'],
        iframes: false,
        ...(only === undefined ? {} : { runOnly: only }),
      }),
    rules,
  );
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
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
