import { AppError } from '@gleaner/contracts';

const TEXT_TYPES = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/xml',
  'application/xml',
  'application/json',
  'text/json',
  'text/plain',
]);

/** The media type of a `Content-Type` header, lower case and without parameters. */
export function mediaType(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Whether a page of this type is read as HTML; none given is. */
export function isHtmlType(type: string): boolean {
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml';
}

/** Whether a page of this type can be extracted from: HTML, XHTML, XML, JSON or plain text; none given is read. */
export function isPageType(type: string): boolean {
  return (
    type === '' || TEXT_TYPES.has(type) || (type.startsWith('application/') && /\+(xml|json)$/.test(type))
  );
}

/** Throws `fetch_failed`, naming the type, for what no parser can read. */
export function requirePageType(contentType: string): void {
  const type = mediaType(contentType);
  if (isPageType(type)) return;
  throw new AppError('fetch_failed', {
    detail: `the target answered with ${type.slice(0, 100)}, which is not HTML, XML, JSON or plain text`,
    retryable: false,
  });
}

/** Refuses bytes that came without a type and are not text. */
export function requireText(body: Uint8Array, contentType: string): void {
  if (contentType !== '') return;
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  if (isUtf16 || !body.subarray(0, 512).includes(0)) return;
  throw new AppError('fetch_failed', {
    detail: 'the target answered with binary data of no named type',
    retryable: false,
  });
}
