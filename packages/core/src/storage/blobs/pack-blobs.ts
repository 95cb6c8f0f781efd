import { LRUCache } from 'lru-cache';
import type { Sql } from '@gleaner/db';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync } from 'node:zlib';

/** The bytes of a content that serve as the dictionary of others. A longer one takes longer to load for each of them. */
const DICTIONARY_BYTES = 112 * 1024;
/** Less has little in common with others. */
export const LEAST_BYTES = 1_024;
const MEMORY_BYTES = 16 * 1024 * 1024;
/** Then a newer content becomes the dictionary of its family, because sites change. */
const USED_MS = 86_400_000;
/** A dictionary is kept longer than what needs it: for the day of its use, and one for clocks that differ. */
export const DICTIONARY_EXTRA_DAYS = 2;

/** A stored content by which later ones of its family are compressed. */
export interface Dictionary {
  hash: string;
  bytes: Buffer;
  /** Contents that are kept for longer can't use it. */
  keptDays: number;
  /** The end of its use, on performance.now()'s clock. */
  until: number;
}

function cut(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.subarray(0, DICTIONARY_BYTES));
}

/** The dictionaries of this process, and the bytes of those that were read. */
export function createDictionaries(sql: Sql) {
  const byFamily = new LRUCache<string, Dictionary>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  const loaded = new LRUCache<string, Buffer>({
    maxSize: MEMORY_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  return {
    find: (accountId: string, family: string, keptDays: number): Dictionary | undefined => {
      const known = byFamily.get(`${accountId} ${family}`);
      return known !== undefined && known.keptDays >= keptDays && known.until > performance.now()
        ? known
        : undefined;
    },
    /** A stored content becomes the dictionary of its family, if it is kept for long enough and needs none itself. */
    nominate: async (
      accountId: string,
      family: string,
      { hash, bytes, keptDays }: { hash: string; bytes: Uint8Array; keptDays: number },
    ): Promise<void> => {
      const [row] = await sql`
        SELECT 1 FROM gleaner.blobs
        WHERE account_id = ${accountId} AND hash = ${Buffer.from(hash, 'hex')} AND dictionary IS NULL
          AND bytes IS NOT NULL AND expires_at > now() + ${keptDays + 1}::int * interval '1 day'`;
      if (row === undefined) return;
      const until = performance.now() + USED_MS;
      byFamily.set(`${accountId} ${family}`, { hash, bytes: cut(bytes), keptDays, until });
    },
    /** The dictionary that a stored content names; `read` reads a whole content. */
    load: async (accountId: string, hash: string, read: () => Promise<Buffer | undefined>) => {
      const key = `${accountId} ${hash}`;
      const known = loaded.get(key);
      if (known !== undefined) return known;
      const content = await read();
      if (content !== undefined) loaded.set(key, cut(content));
      return loaded.get(key);
    },
  };
}

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
