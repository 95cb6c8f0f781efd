import { AppError, MAX_HTML_BYTES } from '@gleaner/contracts';

/**
 * Checks a page that was sent as text in JSON.
 * @param field the part of the request that an error names
 * @throws AppError html_too_large, invalid_request when it is blank
 */
export function requireHtmlText(html: string, field = 'html'): void {
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) {
    throw new AppError('html_too_large', { field, detail: 'html is larger than 16 MB' });
  }
  if (html.trim() === '') throw new AppError('invalid_request', { field, detail: 'html is blank' });
}
