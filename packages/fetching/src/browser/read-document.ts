import { AppError, PDF_MARK } from '@gleaner/contracts';
import type { Page, Response } from 'playwright';
import { isBlank } from '../empty-page.ts';
import { TOO_LARGE_HINT } from '../http/arriving-body.ts';
import { isHtmlType, mediaType, PdfRefusedError, requirePageType } from '../http/content-type.ts';
import type { HttpResponse } from '../http/http-engine.ts';
import { writePage } from './compose-frames.ts';
import type { NavigationWatch } from './navigation-watch.ts';

/** The document that the browser builds from an empty body. */
const EMPTY_DOCUMENT = '<html><head></head><body></body></html>';

/** How the document begins that the browser builds from a PDF which is called HTML. */
const PDF_AS_HTML = `<html><head></head><body>${PDF_MARK}`;

/** Whether the server sent an empty document, rather than a script emptying it. */
async function wasSentEmpty(response: Response): Promise<boolean> {
  const sent = await response.body().catch(() => undefined);
  return sent === undefined ? response.headers()['content-length'] === '0' : isBlank(sent);
}

/** Whether the document has all elements of its source, except those inside `<noscript>`. Runs in the page. */
function hasElementsOf(source: string): boolean {
  const whole = new DOMParser().parseFromString(source, 'text/html');
  return document.querySelectorAll('*').length >= whole.querySelectorAll(':not(noscript *)').length;
}

/** Throws `fetch_failed` when the page's script cut its document short by navigating to something else. */
export async function requireWholeDocument(page: Page, navigation: NavigationWatch): Promise<void> {
  if (!navigation.isCutOff()) return;
  const source = await navigation.lastResponse()?.text();
  if (source !== undefined && (await page.evaluate(hasElementsOf, source))) return;
  throw new AppError('fetch_failed', {
    detail: "the page's script navigated to something that is not a page before this page was complete",
    hint: 'Without useBrowser its script does not run.',
    retryable: false,
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('fetch_failed', {
    detail: `the page is larger than ${maxBytes} bytes`,
    hint: TOO_LARGE_HINT,
    retryable: false,
  });
}

/** Reads the document: HTML as the browser has it now, other types as they were sent. Throws `fetch_failed`. */
export async function readDocument(
  page: Page,
  response: Response,
  { maxBytes, composed }: { maxBytes: number; composed: boolean },
): Promise<HttpResponse> {
  const finalUrl = page.url();
  const headers = response.headers();
  const contentType = headers['content-type'] ?? '';
  const status = response.status();
  if (status < 400) requirePageType(contentType, false);
  if (!isHtmlType(mediaType(contentType))) {
    const body = await response.body();
    if (body.length > maxBytes) throw tooLarge(maxBytes);
    return { finalUrl, status, headers, contentType, body };
  }
  const html = await writePage(page.mainFrame(), { maxLength: maxBytes, composed });
  if (html === null) throw tooLarge(maxBytes);
  if (html.startsWith(PDF_AS_HTML)) throw new PdfRefusedError();
  const isEmpty = html === EMPTY_DOCUMENT && (await wasSentEmpty(response));
  const body = Buffer.from(isEmpty ? '' : html, 'utf8');
  if (body.length > maxBytes) throw tooLarge(maxBytes);
  return { finalUrl, status, headers, contentType: 'text/html; charset=utf-8', body };
}
