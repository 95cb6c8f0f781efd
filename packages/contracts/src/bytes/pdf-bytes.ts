/** How a PDF begins. */
export const PDF_MARK = '%PDF-';
/** Readers of PDF look for its mark in so many bytes. */
const SEARCHED_BYTES = 1_024;
/** Spaces and a byte order mark may precede the mark. */
const BEGIN = /^[\s\0\xef\xbb\xbf]*%PDF-/;

/** Whether the bytes begin as a PDF does, whatever they are called. */
export function isPdf(body: Uint8Array | string): boolean {
  const begin = body.slice(0, SEARCHED_BYTES);
  return BEGIN.test(typeof begin === 'string' ? begin : String.fromCharCode(...begin));
}
