import { AppError, cutText, isPdf } from '@gleaner/contracts';

const TEXT_TYPES = new Set([
  'text/html',
  'application/xhtml+xml',
  'text/xml',
  'application/xml',
  'application/json',
  'text/json',
  'text/x-json',
  'application/x-json',
  'text/plain',
]);

const WELL_FORMED = /^([^\s;,/*]+\/[^\s;,/*]+)/;

/**
 * The media type of a `Content-Type` header in lower case, without parameters, as browsers read it: of several the last
 * that is well formed, and also where no semicolon follows. Empty where none is (`html`, `*`/`*`).
 */
export function mediaType(contentType: string): string {
  const types = contentType.split(',').map((part) => WELL_FORMED.exec(part.trim())?.[1] ?? '');
  return (types.findLast((type) => type !== '') ?? '').toLowerCase();
}

/** Whether a page of this type is read as HTML. A page without a type is. */
export function isHtmlType(type: string): boolean {
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml';
}

/** Whether a page of this type can be extracted: HTML, XHTML, XML, JSON, plain text, or no type at all. */
export function isPageType(type: string): boolean {
  return type === '' || TEXT_TYPES.has(type) || /^application\/.+\+json$|\+xml$/.test(type);
}

const PDF_TYPES = new Set(['application/pdf', 'application/x-pdf']);

/** Whether a `Content-Type` header names a PDF. */
export function isPdfType(contentType: string): boolean {
  return PDF_TYPES.has(mediaType(contentType));
}

/** The page is a PDF, and nothing that reads it reads PDFs. */
export class PdfRefusedError extends AppError {
  constructor(name = 'a PDF') {
    super('fetch_failed', {
      detail: `the target answered with ${name}`,
      hint: 'Selectors read no PDF: page facts (text, markdown, title, pages) do.',
      retryable: false,
    });
  }
}

/** Throws `fetch_failed`, naming the type, for a page that no parser can read; for a PDF unless `readsPdf`. */
export function requirePageType(contentType: string, readsPdf: boolean): void {
  const type = mediaType(contentType);
  if (isPageType(type)) return;
  if (isPdfType(contentType)) {
    if (readsPdf) return;
    throw new PdfRefusedError(type);
  }
  throw new AppError('fetch_failed', {
    detail: `the target answered with ${cutText(type, 100)}, which is not HTML, XML, JSON, plain text or PDF`,
    hint: 'Give the address of a page. Files are not read.',
    retryable: false,
  });
}

/** How files begin that some servers call a page. No page begins so. */
const SIGNATURES: readonly (readonly [name: string, begin: string])[] = [
  ['a zip archive', 'PK\x03\x04'],
  ['a gzip file', '\x1f\x8b\x08'],
  ['a RAR archive', 'Rar!\x1a\x07'],
  ['a 7-Zip archive', "7z\xbc\xaf'\x1c"],
  ['a PNG picture', '\x89PNG\r\n'],
  ['a GIF picture', 'GIF8'],
  ['a JPEG picture', '\xff\xd8\xff'],
  ['an Office document', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['a program', '\x7fELF'],
  ['music', 'ID3\x03'],
];
const LONGEST_SIGNATURE = 8;

function requireNoFile(body: Uint8Array): void {
  const begin = Buffer.from(body.subarray(0, LONGEST_SIGNATURE)).toString('latin1');
  const file = SIGNATURES.find(([, signature]) => begin.startsWith(signature))?.[0];
  if (file === undefined) return;
  throw new AppError('fetch_failed', {
    detail: `the target answered with ${file}, whatever its Content-Type says`,
    hint: 'Give the address of a page. Files are not read.',
    retryable: false,
  });
}

/**
 * Throws `fetch_failed` for a file, whatever it is called, for a PDF unless `readsPdf`, and for binary data without a type
 * or with that of a PDF.
 */
export function requireText(body: Uint8Array, contentType: string, readsPdf: boolean): void {
  if (isPdf(body)) {
    if (readsPdf) return;
    throw new PdfRefusedError();
  }
  requireNoFile(body);
  const type = mediaType(contentType);
  if (type !== '' && !PDF_TYPES.has(type)) return;
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  if (isUtf16 || !body.subarray(0, 512).includes(0)) return;
  throw new AppError('fetch_failed', {
    detail:
      type === ''
        ? 'the target answered with binary data without a Content-Type'
        : `the target answered with ${type}, but its body is no PDF`,
    retryable: false,
  });
}
