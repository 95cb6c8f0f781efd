import { isUtf8 } from 'node:buffer';
import { AppError, MAX_HTML_BYTES, MAX_PARSE_BODY_BYTES, type UploadPart } from '@gleaner/contracts';

type FilePart = Extract<UploadPart, { kind: 'file' }>;

export interface HtmlPart {
  bytes: Uint8Array;
  /** The content type, with the part's charset when it named one. */
  contentType: string | undefined;
}

function unknownPart(name: string): AppError {
  return new AppError('invalid_request', {
    field: name === '' ? 'body' : name,
    detail: name === '' ? 'a part has no name' : `the part ${name} is not known`,
    hint: 'Send one part named html, for example: curl -F html=@page.html … The address of the page is the query parameter url.',
  });
}

/**
 * Reads the form's only part, `html`.
 * @throws AppError html_too_large, body_too_large, invalid_request
 */
export async function readHtmlPart(parts: AsyncIterable<UploadPart> | undefined): Promise<HtmlPart> {
  let html: HtmlPart | undefined;
  let totalBytes = 0;
  const count = (bytes: number): void => {
    totalBytes += bytes;
    if (totalBytes > MAX_PARSE_BODY_BYTES) {
      throw new AppError('body_too_large', { field: 'body', detail: 'it is larger than 64 MB' });
    }
  };
  for await (const part of parts ?? []) {
    if (part.kind === 'field' || part.name !== 'html') throw unknownPart(part.name);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of part.stream) {
      count(chunk.length);
      size += chunk.length;
      if (size <= MAX_HTML_BYTES) chunks.push(chunk);
    }
    if (size > MAX_HTML_BYTES) throw tooLarge();
    if (html)
      throw new AppError('invalid_request', { field: 'html', detail: 'the form has two parts named html' });
    const bytes = Buffer.concat(chunks, size);
    html = { bytes, contentType: typeOf(part, bytes) };
  }
  if (!html) {
    throw new AppError('invalid_request', {
      field: 'html',
      detail: 'the form has no part named html',
      hint: 'Send multipart/form-data, for example: curl -F html=@page.html …',
    });
  }
  return html;
}

function tooLarge(): AppError {
  return new AppError('html_too_large', { field: 'html', detail: 'html is larger than 16 MB' });
}

/** Forms send text as UTF-8 without naming the charset. Bytes that are not UTF-8 have the page's own charset. */
function typeOf({ filename, contentType }: FilePart, bytes: Uint8Array): string | undefined {
  return contentType === undefined && filename === undefined && isUtf8(bytes)
    ? 'text/html; charset=utf-8'
    : contentType;
}
