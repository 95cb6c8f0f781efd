import type { Page } from '../../test/dashboard/open-dashboard.ts';

type Locator = ReturnType<Page['locator']>;

/** Milliseconds from the key until the results show the text, measured in the page up to its next frame. */
export async function timeKey(page: Page, field: Locator, key: string, text: string): Promise<number> {
  const handle = await page.evaluateHandle((shown) => {
    const measured = new Promise<number>((resolve) => {
      const onKey = (): void => {
        const from = performance.now();
        const look = (): void => {
          const results = document.querySelector('[aria-label="Values"]')?.textContent ?? '';
          if (results.includes(shown)) resolve(performance.now() - from);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      };
      document.addEventListener('keydown', onKey, { once: true, capture: true });
    });
    return { measured };
  }, text);
  await field.press(key);
  return handle.evaluate(({ measured }) => measured);
}
