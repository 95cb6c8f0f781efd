import zlib from 'node:zlib';

/** Bodies up to this size are decoded synchronously: a stream costs several times as much CPU. */
const SYNC_WIRE_BYTES = 64 * 1024;
const SYNC_DECODED_BYTES = 1024 * 1024;
/** A zstd frame may request a window of 2 GiB; RFC 8878 requires decoders to support 8 MiB. */
const ZSTD_WINDOW_LOG = 23;

export type Encoding = 'gzip' | 'deflate' | 'deflate-raw' | 'br' | 'zstd';

export interface DecompressOptions {
  maxBytes: number;
  /** Returns what a truncated stream holds. Otherwise truncation is an error. */
  isPartial: boolean;
}

export interface Decompressed {
  output: Uint8Array;
  /** Consumed input bytes; bytes after the end of the stream are not consumed. */
  readBytes: number;
}

/** The output exceeds `maxBytes`. */
export class OutputTooLargeError extends Error {
  override name = 'OutputTooLargeError';
}

const ZSTD_LIMITS = { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };

/** Options of Node's functions. What an encoding doesn't know, its function ignores. */
const COMPLETE: Readonly<Record<Encoding, object>> = {
  gzip: {},
  deflate: {},
  'deflate-raw': {},
  br: {},
  zstd: { params: ZSTD_LIMITS },
};
const PARTIAL: Readonly<Record<Encoding, object>> = {
  gzip: { finishFlush: zlib.constants.Z_SYNC_FLUSH },
  deflate: { finishFlush: zlib.constants.Z_SYNC_FLUSH },
  'deflate-raw': { finishFlush: zlib.constants.Z_SYNC_FLUSH },
  br: { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH },
  zstd: { finishFlush: zlib.constants.ZSTD_e_flush, params: ZSTD_LIMITS },
};

interface Codec {
  now: (body: Uint8Array, options: object) => unknown;
  /** On the thread pool. */
  later: (body: Uint8Array, options: object, done: (error: Error | null, result: unknown) => void) => void;
}

const CODECS: Readonly<Record<Encoding, Codec>> = {
  gzip: { now: zlib.gunzipSync, later: zlib.gunzip },
  deflate: { now: zlib.inflateSync, later: zlib.inflate },
  'deflate-raw': { now: zlib.inflateRawSync, later: zlib.inflateRaw },
  br: { now: zlib.brotliDecompressSync, later: zlib.brotliDecompress },
  zstd: { now: zlib.zstdDecompressSync, later: zlib.zstdDecompress },
};

/** Node's result with `info: true`; its types don't describe it. */
function asDecompressed(result: unknown): Decompressed {
  const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
  return { output: buffer, readBytes: engine.bytesWritten };
}

function isOutputTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/**
 * Decodes the stream at the start of `body` (for gzip, all consecutive members). Throws OutputTooLargeError, or
 * Node's error when the bytes don't match the encoding.
 */
export async function decompress(
  encoding: Encoding,
  body: Uint8Array,
  { maxBytes, isPartial }: DecompressOptions,
): Promise<Decompressed> {
  const { now, later } = CODECS[encoding];
  const limited = (maxOutputLength: number): object => ({
    ...(isPartial ? PARTIAL : COMPLETE)[encoding],
    info: true,
    maxOutputLength: Math.max(1, maxOutputLength),
  });
  if (body.length <= SYNC_WIRE_BYTES) {
    try {
      return asDecompressed(now(body, limited(Math.min(maxBytes, SYNC_DECODED_BYTES))));
    } catch (error) {
      if (!isOutputTooLarge(error)) throw error;
    }
  }
  return new Promise((resolve, reject) => {
    later(body, limited(maxBytes), (error, result) => {
      if (error === null || error === undefined) resolve(asDecompressed(result));
      else reject(isOutputTooLarge(error) ? new OutputTooLargeError() : error);
    });
  });
}
