import zlib from 'node:zlib';
import type { Transform } from 'node:stream';
import { AppError } from '@gleaner/contracts';

const MAX_ENCODINGS = 2;
/** Bodies up to this size are decoded at once: a stream costs several times the work. */
const SYNC_WIRE_BYTES = 64 * 1024;
const SYNC_DECODED_BYTES = 1024 * 1024;
/** A zstd frame may ask for a window of 2 GiB; RFC 8878 asks decoders to support 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

type Encoding = 'gzip' | 'deflate' | 'deflate-raw' | 'br' | 'zstd';

const failed = (detail: string): AppError => new AppError('fetch_failed', { detail, retryable: false });

const tooLarge = (maxBytes: number): AppError =>
  failed(`the page is larger than ${maxBytes} bytes after decompression`);

const isZlibWrapped = (body: Uint8Array): boolean =>
  body.length >= 2 && ((body[0] ?? 0) & 0x0f) === 8 && (((body[0] ?? 0) << 8) | (body[1] ?? 0)) % 31 === 0;

const readEncoding = (name: string): Encoding => {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
    case 'br':
    case 'zstd':
      return name;
    default:
      throw failed(`the content encoding ${name.slice(0, 40)} is not supported`);
  }
};

/** The encodings of a `Content-Encoding` header in the order in which they are undone. */
const readEncodings = (header: string): Encoding[] => {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) throw failed(`more than ${MAX_ENCODINGS} content encodings`);
  return names.map(readEncoding).reverse();
};

/** Truncated and padded streams give what they hold, as in browsers: the transfer itself was complete. */
const GZIP = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const BROTLI = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };
const ZSTD = {
  finishFlush: zlib.constants.ZSTD_e_flush,
  params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
};

interface Decoder {
  sync(body: Uint8Array, maxOutputLength: number): Uint8Array;
  stream(): Transform;
}

const DECODERS: Readonly<Record<Encoding, Decoder>> = {
  gzip: {
    sync: (body, maxOutputLength) => zlib.gunzipSync(body, { ...GZIP, maxOutputLength }),
    stream: () => zlib.createGunzip(GZIP),
  },
  deflate: {
    sync: (body, maxOutputLength) => zlib.inflateSync(body, { ...GZIP, maxOutputLength }),
    stream: () => zlib.createInflate(GZIP),
  },
  'deflate-raw': {
    sync: (body, maxOutputLength) => zlib.inflateRawSync(body, { ...GZIP, maxOutputLength }),
    stream: () => zlib.createInflateRaw(GZIP),
  },
  br: {
    sync: (body, maxOutputLength) => zlib.brotliDecompressSync(body, { ...BROTLI, maxOutputLength }),
    stream: () => zlib.createBrotliDecompress(BROTLI),
  },
  zstd: {
    sync: (body, maxOutputLength) => zlib.zstdDecompressSync(body, { ...ZSTD, maxOutputLength }),
    stream: () => zlib.createZstdDecompress(ZSTD),
  },
};

/** Decodes on the thread pool, counting what comes out, and stops at the cap. */
const decodeStream = (encoding: Encoding, body: Uint8Array, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const decoder = DECODERS[encoding].stream();
    const chunks: Uint8Array[] = [];
    let size = 0;
    decoder.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > maxBytes) decoder.destroy(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    decoder.once('error', reject);
    decoder.once('end', () => resolve(Buffer.concat(chunks, size)));
    decoder.end(body);
  });

const isOutputTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

const decodeOne = async (given: Encoding, body: Uint8Array, maxBytes: number): Promise<Uint8Array> => {
  const encoding = given === 'deflate' && !isZlibWrapped(body) ? 'deflate-raw' : given;
  if (body.length <= SYNC_WIRE_BYTES) {
    try {
      return DECODERS[encoding].sync(body, Math.min(maxBytes, SYNC_DECODED_BYTES));
    } catch (error) {
      if (!isOutputTooLarge(error)) throw error;
    }
  }
  return decodeStream(encoding, body, maxBytes);
};

/**
 * Undoes a body's content encodings (at most two; gzip, deflate with or without its header, br, zstd). Throws
 * `fetch_failed` when more than `maxBytes` come out of any of them, or when the bytes are not of that encoding.
 */
export const decodeBody = async (body: Uint8Array, header: string, maxBytes: number): Promise<Uint8Array> => {
  let decoded = body;
  for (const encoding of readEncodings(header)) {
    if (decoded.length === 0) break;
    try {
      decoded = await decodeOne(encoding, decoded, maxBytes);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('fetch_failed', {
        detail: `the body is not valid ${encoding}`,
        retryable: false,
        cause: error,
      });
    }
  }
  if (decoded.length > maxBytes) throw tooLarge(maxBytes);
  return decoded;
};
