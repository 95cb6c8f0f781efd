import { AppError, cutText } from '@gleaner/contracts';

const TEXT_TYPES = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/xml',
  'application/xml',
  'application/json',
  'text/json',
  'text/plain',
]);

/** The media type of a `Content-Type` header in lower case, without parameters. */
export function mediaType(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Whether a page of this type is read as HTML. A page without a type is. */
export function isHtmlType(type: string): boolean {
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml';
}

/** Whether a page of this type can be extracted: HTML, XHTML, XML, JSON, plain text, or no type at all. */
export function isPageType(type: string): boolean {
  return (
    type === '' || TEXT_TYPES.has(type) || (type.startsWith('application/') && /\+(xml|json)$/.test(type))
  );
}

/** Throws `fetch_failed`, naming the type, for a page that no parser can read. */
export function requirePageType(contentType: string): void {
  const type = mediaType(contentType);
  if (isPageType(type)) return;
  throw new AppError('fetch_failed', {
    detail: `the target answered with ${cutText(type, 100)}, which is not HTML, XML, JSON or plain text`,
    hint:
      type === 'application/pdf'
        ? 'Parsers read no PDF: give the page that links to it.'
        : 'Give the address of a page. Files are not read.',
    retryable: false,
  });
}

/** Throws `fetch_failed` for binary data without a `Content-Type`. */
export function requireText(body: Uint8Array, contentType: string): void {
  if (contentType !== '') return;
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  if (isUtf16 || !body.subarray(0, 512).includes(0)) return;
  throw new AppError('fetch_failed', {
    detail: 'the target answered with binary data without a Content-Type',
    retryable: false,
  });
}
