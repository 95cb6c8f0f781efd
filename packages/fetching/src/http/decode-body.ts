import { AppError, cutText } from '@gleaner/contracts';
import { decodeStreams, isCutOff, TooManyPartsError } from './decode-streams.ts';
import { OutputTooLargeError, type Encoding } from './decompress.ts';

const MAX_ENCODINGS = 2;

function failed(detail: string): AppError {
  return new AppError('fetch_failed', { detail, retryable: false });
}

function isZlibWrapped(body: Uint8Array): boolean {
  return (
    body.length >= 2 && ((body[0] ?? 0) & 0x0f) === 8 && (((body[0] ?? 0) << 8) | (body[1] ?? 0)) % 31 === 0
  );
}

function readEncoding(name: string): Encoding {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
    case 'br':
    case 'zstd':
      return name;
    default:
      throw failed(`the content encoding ${cutText(name, 40)} is not supported`);
  }
}

/** The encodings of a `Content-Encoding` header, last applied first. */
function readEncodings(header: string): Encoding[] {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) throw failed(`more than ${MAX_ENCODINGS} content encodings`);
  return names.map(readEncoding).toReversed();
}

function tooLarge(maxBytes: number): AppError {
  return failed(`the page is larger than ${maxBytes} bytes after decompression`);
}

function toFailure(error: unknown, encoding: Encoding, maxBytes: number): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof OutputTooLargeError) return tooLarge(maxBytes);
  if (error instanceof TooManyPartsError) return failed(`the body's ${encoding} data have too many parts`);
  const isCut = isCutOff(error);
  return new AppError('fetch_failed', {
    detail: isCut ? `the body was cut off within its ${encoding} data` : `the body is not valid ${encoding}`,
    retryable: isCut,
    cause: error,
  });
}

export interface DecodeOptions {
  /** Limit on the output of each encoding. */
  maxBytes: number;
  /** The body was cut off on purpose: decode what it holds. */
  isPartial: boolean;
}

/**
 * Decodes a body's content encodings (at most two of gzip, deflate with or without its header, br, zstd). Throws
 * `fetch_failed`: retryable when the body ends before its data do, not retryable when the output exceeds `maxBytes`
 * or the bytes don't match the encoding. A missing checksum and trailing bytes are accepted.
 */
export async function decodeBody(
  body: Uint8Array,
  header: string,
  options: DecodeOptions,
): Promise<Uint8Array> {
  let decoded = body;
  for (const given of readEncodings(header)) {
    if (decoded.length === 0) break;
    const encoding = given === 'deflate' && !isZlibWrapped(decoded) ? 'deflate-raw' : given;
    try {
      decoded = await decodeStreams(encoding, decoded, options);
    } catch (error) {
      throw toFailure(error, given, options.maxBytes);
    }
  }
  if (decoded.length > options.maxBytes) throw tooLarge(options.maxBytes);
  return decoded;
}
