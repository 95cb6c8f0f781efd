import { AppError } from '@gleaner/contracts';

const SAMPLE_BYTES = 4_096;
/** Bytes with a greater share of control characters are not text in any charset of web pages. */
const MAX_CONTROL_SHARE = 0.1;

function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;
}

/**
 * Rejects uploads that are blank or not text, such as images and archives.
 * @throws AppError invalid_request with field `html`
 */
export function checkText(bytes: Uint8Array, contentType = ''): void {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (sample.length === bytes.length && Buffer.from(sample).toString('latin1').trim() === '') {
    throw new AppError('invalid_request', { field: 'html', detail: 'html is blank' });
  }
  const isUtf16 = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
  if (isUtf16 || /charset=["']?utf-?(?:16|32)/i.test(contentType)) return;
  const controls = sample.reduce((total, byte) => total + (isControl(byte) ? 1 : 0), 0);
  if (controls > sample.length * MAX_CONTROL_SHARE) {
    throw new AppError('invalid_request', {
      field: 'html',
      detail: 'html is not text',
      hint: 'Upload the page itself, uncompressed.',
    });
  }
}
