import zlib from 'node:zlib';
import { TOO_LARGE_HINT } from './arriving-body.ts';
import { AppError } from '@gleaner/contracts';

const MAX_ENCODINGS = 2;
/** Bodies up to this size are decoded synchronously: a stream costs several times as much CPU. */
const SYNC_WIRE_BYTES = 64 * 1024;
const SYNC_DECODED_BYTES = 1024 * 1024;
/** A zstd frame may request a window of 2 GiB; RFC 8878 requires decoders to support 8 MiB. */
const ZSTD_WINDOW_LOG = 23;
/**
 * Each part costs about 80 µs even when it is empty, and 16 MB can hold almost two million empty parts. Real writers
 * (bgzip, pzstd) put at least 64 KB into each: 256 parts in 16 MB.
 */
const MAX_PARTS = 5_000;

interface DecodeOptions {
  /** Limit on the output of each encoding. */
  maxBytes: number;
  /** The body was cut off on purpose: decode what it holds. */
  isPartial: boolean;
}

interface Codec {
  now: (body: Uint8Array, options: object) => unknown;
  /** On the thread pool. */
  later: (body: Uint8Array, options: object, done: (error: Error | null, result: unknown) => void) => void;
  /** Returns what a truncated stream holds. */
  flush: number;
  params?: object;
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush, ZSTD_d_windowLogMax } = zlib.constants;

const CODECS = {
  gzip: { now: zlib.gunzipSync, later: zlib.gunzip, flush: Z_SYNC_FLUSH },
  deflate: { now: zlib.inflateSync, later: zlib.inflate, flush: Z_SYNC_FLUSH },
  'deflate-raw': { now: zlib.inflateRawSync, later: zlib.inflateRaw, flush: Z_SYNC_FLUSH },
  br: { now: zlib.brotliDecompressSync, later: zlib.brotliDecompress, flush: BROTLI_OPERATION_FLUSH },
  zstd: {
    now: zlib.zstdDecompressSync,
    later: zlib.zstdDecompress,
    flush: ZSTD_e_flush,
    params: { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
  },
} satisfies Record<string, Codec>;

type Encoding = keyof typeof CODECS;

function failed(detail: string, hint?: string): AppError {
  return new AppError('fetch_failed', { detail, retryable: false, ...(hint === undefined ? {} : { hint }) });
}

/** The output exceeds `maxBytes`. */
class OutputTooLargeError extends Error {}

/** The input ended before its data did. */
class CutOffError extends Error {}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

interface Decompressed {
  output: Uint8Array;
  /** Consumed input bytes; bytes after the end of the stream are not consumed. */
  readBytes: number;
}

/** Node's result with `info: true`; its types don't describe it. */
function asDecompressed(result: unknown): Decompressed {
  const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
  return { output: buffer, readBytes: engine.bytesWritten };
}

/**
 * Decodes the stream at the start of `body` (for gzip, all consecutive members). Throws OutputTooLargeError, or
 * Node's error when the bytes don't match the encoding.
 */
async function decompress(
  encoding: Encoding,
  body: Uint8Array,
  { maxBytes, isPartial }: DecodeOptions,
): Promise<Decompressed> {
  const { now, later, flush, params }: Codec = CODECS[encoding];
  const limited = (maxOutputLength: number): object => ({
    ...(isPartial ? { finishFlush: flush } : {}),
    ...(params === undefined ? {} : { params }),
    info: true,
    maxOutputLength: Math.max(1, maxOutputLength),
  });
  const isTooLarge = (error: unknown): boolean => hasCode(error, 'ERR_BUFFER_TOO_LARGE');
  if (body.length <= SYNC_WIRE_BYTES) {
    try {
      return asDecompressed(now(body, limited(Math.min(maxBytes, SYNC_DECODED_BYTES))));
    } catch (error) {
      if (!isTooLarge(error)) throw error;
    }
  }
  return new Promise((resolve, reject) => {
    later(body, limited(maxBytes), (error, result) => {
      if (error === null || error === undefined) resolve(asDecompressed(result));
      else reject(isTooLarge(error) ? new OutputTooLargeError() : error);
    });
  });
}

const GZIP_FLAGS = { headerCrc: 2, extra: 4, name: 8, comment: 16 };

function isGzipStart(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b && body[2] === 8;
}

function endOfText(body: Uint8Array, from: number): number {
  const end = body.indexOf(0, from);
  if (end === -1) throw new CutOffError();
  return end + 1;
}

/** The length of a gzip member's header (RFC 1952, 2.3). */
function gzipHeaderBytes(body: Uint8Array): number {
  const flags = body[3] ?? 0;
  let at = 10;
  if ((flags & GZIP_FLAGS.extra) !== 0) at += 2 + (body[at] ?? 0) + ((body[at + 1] ?? 0) << 8);
  if ((flags & GZIP_FLAGS.name) !== 0) at = endOfText(body, at);
  if ((flags & GZIP_FLAGS.comment) !== 0) at = endOfText(body, at);
  if ((flags & GZIP_FLAGS.headerCrc) !== 0) at += 2;
  if (at >= body.length) throw new CutOffError();
  return at;
}

/** A frame or a skippable frame (RFC 8878, 3.1). Content may hold several; Node decodes only the first. */
function isZstdStart(body: Uint8Array): boolean {
  const [first = 0, ...rest] = body.subarray(0, 4);
  const continues = (bytes: readonly number[]): boolean => bytes.every((byte, at) => byte === rest[at]);
  return first === 0x28 ? continues([0xb5, 0x2f, 0xfd]) : first >> 4 === 5 && continues([0x2a, 0x4d, 0x18]);
}

interface Part {
  encoding: Encoding;
  isStart(body: Uint8Array): boolean;
  headerBytes(body: Uint8Array): number;
  trailerBytes: number;
}

const ZSTD_FRAMES: Part = {
  encoding: 'zstd',
  isStart: isZstdStart,
  headerBytes: () => 0,
  trailerBytes: 0,
};

/** Reads gzip and zlib streams as raw deflate, without checking their checksums. */
const GZIP_DATA: Part = {
  encoding: 'deflate-raw',
  isStart: isGzipStart,
  headerBytes: gzipHeaderBytes,
  trailerBytes: 8,
};
const ZLIB_DATA: Part = {
  encoding: 'deflate-raw',
  isStart: () => false,
  headerBytes: () => 2,
  trailerBytes: 0,
};

/** Decodes consecutive parts and ignores the bytes after the last one. */
async function decodeParts(
  part: Part,
  name: string,
  body: Uint8Array,
  { maxBytes, isPartial }: DecodeOptions,
): Promise<Uint8Array> {
  const outputs: Uint8Array[] = [];
  let size = 0;
  let rest = body;
  do {
    if (outputs.length >= MAX_PARTS) throw failed(`the body's ${name} data have too many parts`);
    const from = part.headerBytes(rest);
    const { output, readBytes } = await decompress(part.encoding, rest.subarray(from), {
      maxBytes: maxBytes - size,
      isPartial,
    });
    outputs.push(output);
    size += output.length;
    if (size > maxBytes) throw new OutputTooLargeError();
    rest = rest.subarray(from + Math.max(1, readBytes) + part.trailerBytes);
  } while (part.isStart(rest));
  const [only] = outputs;
  return outputs.length === 1 && only !== undefined ? only : Buffer.concat(outputs, size);
}

function isZlibWrapped([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** Decodes a whole body of one encoding. Like browsers, it accepts a missing or wrong checksum and trailing bytes. */
async function decodeOne(
  name: Exclude<Encoding, 'deflate-raw'>,
  body: Uint8Array,
  options: DecodeOptions,
): Promise<Uint8Array> {
  if (name === 'zstd') return decodeParts(ZSTD_FRAMES, name, body, options);
  const encoding = name === 'deflate' && !isZlibWrapped(body) ? 'deflate-raw' : name;
  try {
    return (await decompress(encoding, body, options)).output;
  } catch (error) {
    if (error instanceof OutputTooLargeError) throw error;
    if (encoding === 'gzip' && isGzipStart(body)) return decodeParts(GZIP_DATA, name, body, options);
    if (encoding === 'deflate') return decodeParts(ZLIB_DATA, name, body, options);
    throw error;
  }
}

/** Encodings that exist, and without which a body is noise. */
const UNREADABLE = /^(?:(?:x-)?compress|dcb|dcz|exi|pack200-gzip)$/;

/** The encodings of a `Content-Encoding` header that are known, last applied first. */
function readEncodings(header: string): Exclude<Encoding, 'deflate-raw'>[] {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) throw failed(`more than ${MAX_ENCODINGS} content encodings`);
  // Names that no browser knows (`none`, `utf-8`, `binary`) are mistakes: browsers show the bytes as they are.
  return names.toReversed().flatMap((name) => {
    if (name === 'x-gzip') return ['gzip'];
    if (UNREADABLE.test(name)) throw failed(`the content encoding ${name} is not supported`);
    return name === 'gzip' || name === 'deflate' || name === 'br' || name === 'zstd' ? [name] : [];
  });
}

function toFailure(error: unknown, name: string, maxBytes: number): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof OutputTooLargeError)
    return failed(`the page is larger than ${maxBytes} bytes after decompression`, TOO_LARGE_HINT);
  const isCut = error instanceof CutOffError || hasCode(error, 'Z_BUF_ERROR');
  return new AppError('fetch_failed', {
    detail: isCut ? `the body was cut off within its ${name} data` : `the body is not valid ${name}`,
    retryable: isCut,
    cause: error,
  });
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
  const { maxBytes } = options;
  let decoded = body;
  for (const name of readEncodings(header)) {
    if (decoded.length === 0) break;
    try {
      decoded = await decodeOne(name, decoded, options);
    } catch (error) {
      throw toFailure(error, name, maxBytes);
    }
  }
  if (decoded.length > maxBytes) throw toFailure(new OutputTooLargeError(), header, maxBytes);
  return decoded;
}
