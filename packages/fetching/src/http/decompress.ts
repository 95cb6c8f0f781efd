import zlib from 'node:zlib';
import type { Transform } from 'node:stream';

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

interface Flush {
  zlib: zlib.ZlibOptions;
  brotli: zlib.BrotliOptions;
  zstd: zlib.ZstdOptions;
}

const COMPLETE: Flush = { zlib: {}, brotli: {}, zstd: { params: ZSTD_LIMITS } };
const PARTIAL: Flush = {
  zlib: { finishFlush: zlib.constants.Z_SYNC_FLUSH },
  brotli: { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH },
  zstd: { finishFlush: zlib.constants.ZSTD_e_flush, params: ZSTD_LIMITS },
};

type Decoder = Transform & { readonly bytesWritten: number };

interface Codec {
  sync(body: Uint8Array, flush: Flush, more: { info: boolean; maxOutputLength: number }): unknown;
  stream(flush: Flush): Decoder;
}

const CODECS: Readonly<Record<Encoding, Codec>> = {
  gzip: {
    sync: (body, flush, more) => zlib.gunzipSync(body, { ...flush.zlib, ...more }),
    stream: (flush) => zlib.createGunzip(flush.zlib),
  },
  deflate: {
    sync: (body, flush, more) => zlib.inflateSync(body, { ...flush.zlib, ...more }),
    stream: (flush) => zlib.createInflate(flush.zlib),
  },
  'deflate-raw': {
    sync: (body, flush, more) => zlib.inflateRawSync(body, { ...flush.zlib, ...more }),
    stream: (flush) => zlib.createInflateRaw(flush.zlib),
  },
  br: {
    sync: (body, flush, more) => zlib.brotliDecompressSync(body, { ...flush.brotli, ...more }),
    stream: (flush) => zlib.createBrotliDecompress(flush.brotli),
  },
  zstd: {
    sync: (body, flush, more) => zlib.zstdDecompressSync(body, { ...flush.zstd, ...more }),
    stream: (flush) => zlib.createZstdDecompress(flush.zstd),
  },
};

/** Node's result with `info: true`; its types don't describe it. */
function asDecompressed(result: unknown): Decompressed {
  const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
  return { output: buffer, readBytes: engine.bytesWritten };
}

/** Decodes on the thread pool, counts the output and stops at `maxBytes`. */
function decompressStream(
  codec: Codec,
  body: Uint8Array,
  flush: Flush,
  maxBytes: number,
): Promise<Decompressed> {
  return new Promise((resolve, reject) => {
    const decoder = codec.stream(flush);
    const chunks: Uint8Array[] = [];
    let size = 0;
    decoder.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > maxBytes) decoder.destroy(new OutputTooLargeError());
      else chunks.push(chunk);
    });
    decoder.once('error', reject);
    decoder.once('end', () =>
      resolve({ output: Buffer.concat(chunks, size), readBytes: decoder.bytesWritten }),
    );
    decoder.end(body);
  });
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
  const codec = CODECS[encoding];
  const flush = isPartial ? PARTIAL : COMPLETE;
  if (body.length <= SYNC_WIRE_BYTES) {
    try {
      const maxOutputLength = Math.max(1, Math.min(maxBytes, SYNC_DECODED_BYTES));
      return asDecompressed(codec.sync(body, flush, { info: true, maxOutputLength }));
    } catch (error) {
      if (!isOutputTooLarge(error)) throw error;
    }
  }
  return decompressStream(codec, body, flush, maxBytes);
}
