import { AppError, MAX_HTML_BYTES } from '@gleaner/contracts';

/**
 * Checks a page that was sent as text in JSON.
 * @throws AppError html_too_large, invalid_request when it is blank
 */
export function requireHtmlText(html: string): void {
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) {
    throw new AppError('html_too_large', { field: 'html', detail: 'html is larger than 16 MB' });
  }
  if (html.trim() === '') throw new AppError('invalid_request', { field: 'html', detail: 'html is blank' });
}
