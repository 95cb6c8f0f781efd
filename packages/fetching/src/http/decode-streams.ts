import { decompress, OutputTooLargeError, type DecompressOptions, type Encoding } from './decompress.ts';

/** The input ended before its data did. */
class CutOffError extends Error {
  override name = 'CutOffError';
}

/** Whether decoding failed because the input ended before its data did. */
export function isCutOff(error: unknown): boolean {
  return (
    error instanceof CutOffError ||
    (error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR')
  );
}

/**
 * Each part costs about 80 µs even when it is empty, and 16 MB can hold almost two million empty parts. Real writers
 * (bgzip, pzstd) put at least 64 KB into each: 256 parts in 16 MB.
 */
const MAX_PARTS = 5_000;

/** The data have more than `MAX_PARTS` parts. */
export class TooManyPartsError extends Error {
  override name = 'TooManyPartsError';
}

const GZIP_TRAILER_BYTES = 8;
const ZLIB_HEADER_BYTES = 2;
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

/** Decodes consecutive parts and ignores the bytes after the last one. */
async function decodeParts(
  part: Part,
  body: Uint8Array,
  { maxBytes, isPartial }: DecompressOptions,
): Promise<Uint8Array> {
  const outputs: Uint8Array[] = [];
  let size = 0;
  let rest = body;
  do {
    if (outputs.length >= MAX_PARTS) throw new TooManyPartsError();
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
  trailerBytes: GZIP_TRAILER_BYTES,
};
const ZLIB_DATA: Part = {
  encoding: 'deflate-raw',
  isStart: () => false,
  headerBytes: () => ZLIB_HEADER_BYTES,
  trailerBytes: 0,
};

/**
 * Decodes a whole body of one encoding. Like browsers, it accepts a missing or wrong checksum and trailing bytes.
 * Truncated data throw (see `isCutOff`) unless `isPartial` is set.
 */
export async function decodeStreams(
  encoding: Encoding,
  body: Uint8Array,
  options: DecompressOptions,
): Promise<Uint8Array> {
  if (encoding === 'zstd') return decodeParts(ZSTD_FRAMES, body, options);
  try {
    return (await decompress(encoding, body, options)).output;
  } catch (error) {
    if (error instanceof OutputTooLargeError) throw error;
    if (encoding === 'gzip' && isGzipStart(body)) return decodeParts(GZIP_DATA, body, options);
    if (encoding === 'deflate') return decodeParts(ZLIB_DATA, body, options);
    throw error;
  }
}
