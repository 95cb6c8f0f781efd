import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync } from 'node:zlib';
import type { Dictionary } from './dictionaries.ts';

const compress = promisify(zstdCompress);

/** Bytes that one blob may have: more than the largest page. */
export const MAX_BLOB_BYTES = 64 * 1024 * 1024;

export interface NewBlob {
  bytes: Uint8Array;
  keptDays: number;
  /**
   * Contents of one family are alike, such as the pages of a host: an earlier one is the dictionary of later ones, which
   * then need a quarter of the bytes.
   */
  family?: string | undefined;
}

/** Contents as they are stored. */
export interface Packed {
  hash: string;
  encoding: 'zstd' | 'raw';
  stored: Buffer;
  sizeBytes: number;
  keptDays: number;
  /** The hash of its dictionary. */
  dictionary: string | undefined;
}

/** Node's compression in the background takes 1.1 ms of CPU to begin; a page of 10 KB takes 0.1 ms at once. */
const SMALL_BYTES = 64 * 1024;
/** Compressed at once before other work of this process goes on. */
const BYTES_AT_ONCE = 128 * 1024;

/** Packs blobs one after the other. @returns undefined for a blob that is too large */
export async function packAll(
  blobs: readonly (NewBlob & { dictionary: Dictionary | undefined })[],
): Promise<(Packed | undefined)[]> {
  const packed: (Packed | undefined)[] = [];
  let since = 0;
  for (const blob of blobs) {
    packed.push(blob.bytes.length > MAX_BLOB_BYTES ? undefined : await pack(blob));
    since += blob.bytes.length;
    if (since < BYTES_AT_ONCE) continue;
    since = 0;
    await setImmediate();
  }
  return packed;
}

async function pack({
  bytes,
  keptDays,
  dictionary,
}: NewBlob & { dictionary: Dictionary | undefined }): Promise<Packed> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const options = dictionary === undefined ? {} : { dictionary: dictionary.bytes };
  const packed =
    bytes.length <= SMALL_BYTES ? zstdCompressSync(bytes, options) : await compress(bytes, options);
  // Pictures and archives don't get smaller.
  const isSmaller = packed.length < bytes.length;
  return {
    hash,
    encoding: isSmaller ? 'zstd' : 'raw',
    stored: isSmaller ? packed : Buffer.from(bytes),
    sizeBytes: bytes.length,
    keptDays,
    dictionary: isSmaller ? dictionary?.hash : undefined,
  };
}
