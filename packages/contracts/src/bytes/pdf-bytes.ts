/** How a PDF begins. */
export const PDF_MARK = '%PDF-';
/** Readers of PDF look for its mark in so many bytes. */
const SEARCHED_BYTES = 1_024;
/** White space, zeros and a byte order mark may precede the mark. */
const PRECEDING = new Set([0, 9, 10, 11, 12, 13, 32, 0xa0, 0xef, 0xbb, 0xbf, 0xfeff]);

/** Whether the bytes begin as a PDF does, whatever they are called. */
export function isPdf(body: Uint8Array | string): boolean {
  const codeAt = (at: number): number => (typeof body === 'string' ? body.charCodeAt(at) : (body[at] ?? -1));
  let start = 0;
  while (start < SEARCHED_BYTES && PRECEDING.has(codeAt(start))) start += 1;
  for (let index = 0; index < PDF_MARK.length; index += 1)
    if (codeAt(start + index) !== PDF_MARK.charCodeAt(index)) return false;
  return true;
}
