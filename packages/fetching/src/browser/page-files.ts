import { AppError, type FileFact, type ScreenshotOptions } from '@gleaner/contracts';
import type { Page } from 'playwright';
import type { PageFile } from '../http/http-engine.ts';
import { remainingMs } from './navigation-waits.ts';

/** Chromium can't draw a picture that is much higher, and the memory for it is its height times its width. */
const MAX_HEIGHT = 15_000;
const MAX_WIDTH = 4_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const JPEG_QUALITY = 80;
/** For an element to be there, and for the drawing. */
const PATIENCE_MS = 15_000;

/** Runs in the page. */
function sizeOf(): { width: number; height: number } {
  const { scrollWidth, scrollHeight, clientWidth } = document.documentElement;
  return { width: Math.max(scrollWidth, clientWidth), height: scrollHeight };
}

async function takeScreenshot(
  page: Page,
  { type = 'png', fullPage = false, selector }: Partial<ScreenshotOptions>,
  timeout: number,
): Promise<Uint8Array> {
  const options = {
    type,
    timeout,
    animations: 'disabled' as const,
    ...(type === 'jpeg' ? { quality: JPEG_QUALITY } : {}),
  };
  if (selector !== undefined) {
    const element = page.locator(`css=${selector}`).first();
    const box = await element.boundingBox({ timeout }).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
      throw new AppError('fetch_timed_out', {
        field: 'scrape_config.screenshot.selector',
        detail: `nothing matched ${selector}`,
        cause: error,
      });
    });
    if (box === null || box.height > MAX_HEIGHT || box.width > MAX_WIDTH) {
      throw new AppError('fetch_failed', {
        field: 'scrape_config.screenshot.selector',
        detail: `${selector} can't be drawn: ${box === null ? 'it is not visible' : 'it is too large'}`,
        retryable: false,
      });
    }
    return element.screenshot(options);
  }
  if (!fullPage) return page.screenshot(options);
  const { width, height } = await page.evaluate(sizeOf);
  const clip = { x: 0, y: 0, width: Math.min(width, MAX_WIDTH), height: Math.min(height, MAX_HEIGHT) };
  return page.screenshot({ ...options, fullPage: true, clip });
}

/** Makes the requested files from the page in its present state. @throws AppError fetch_failed, fetch_timed_out */
export async function makeFiles(
  page: Page,
  facts: readonly FileFact[],
  { screenshot = {}, deadlineAt }: { screenshot: Partial<ScreenshotOptions> | undefined; deadlineAt: number },
): Promise<PageFile[]> {
  const files: PageFile[] = [];
  for (const fact of facts) {
    const isPicture = fact === 'screenshot';
    const bytes = isPicture
      ? await takeScreenshot(page, screenshot, Math.min(PATIENCE_MS, remainingMs(deadlineAt)))
      : await page.pdf({ format: 'A4', printBackground: true });
    if (bytes.length > MAX_FILE_BYTES) {
      throw new AppError('fetch_failed', {
        detail: `the ${fact} of the page is larger than ${MAX_FILE_BYTES} bytes`,
        retryable: false,
      });
    }
    files.push({
      fact,
      contentType: isPicture ? `image/${screenshot.type ?? 'png'}` : 'application/pdf',
      bytes,
    });
  }
  return files;
}
