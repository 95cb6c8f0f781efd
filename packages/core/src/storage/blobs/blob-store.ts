import { repeatWhileFull } from '../../platform/process/repeat-while-full.ts';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Database } from '@gleaner/db';
import { postgresContents, type BlobContents } from './s3-contents.ts';
import {
  createDictionaries,
  DICTIONARY_EXTRA_DAYS,
  LEAST_BYTES,
  MAX_BLOB_BYTES,
  packAll,
  type NewBlob,
  type Packed,
} from './pack-blobs.ts';

const decompress = promisify(zstdDecompress);

/** Shards of an account's sum: workers that store at once rarely meet. */
const SHARDS = 16;
/** Few enough for an object store to remove them within one transaction. */
const REMOVED_AT_ONCE = 500;
/** A later expiry is written only when it is later by this: equal pages must not rewrite their row for each run. */
const EXPIRY_STEP = '1 hour';

export type BlobStore = ReturnType<typeof createBlobStore>;

interface BlobRow {
  encoding: 'zstd' | 'raw';
  bytes: Buffer | null;
  dictionary: string | null;
}

async function readUsedBytes({ sql }: Database, accountId: string): Promise<number> {
  const [row] = await sql<{ used: string }[]>`
    SELECT coalesce(sum(bytes), 0)::text AS used FROM gleaner.blob_usage WHERE account_id = ${accountId}`;
  return Number(row?.used ?? 0);
}

/** What the account stores: other kinds as they were measured. */
async function readAllBytes(db: Database, accountId: string): Promise<number> {
  const [own, [row]] = await Promise.all([
    readUsedBytes(db, accountId),
    db.sql<{ others: string }[]>`
      SELECT greatest(bytes - kept_bytes, 0)::text AS others FROM gleaner.stored_bytes WHERE account_id = ${accountId}`,
  ]);
  return own + Number(row?.others ?? 0);
}

/** One statement: the rows in the order of their hashes, and the growth of one shard. */
async function insertBlobs(
  { sql }: Database,
  contents: BlobContents,
  accountId: string,
  blobs: readonly Packed[],
): Promise<void> {
  const rows = blobs.map(({ hash, encoding, stored, sizeBytes, keptDays, dictionary }) => ({
    account_id: accountId,
    hash: Buffer.from(hash, 'hex'),
    encoding,
    bytes: contents.isInRow ? stored : null,
    size_bytes: sizeBytes,
    stored_bytes: stored.length,
    expires_at: new Date(Date.now() + keptDays * 86_400_000).toISOString(),
    dictionary: dictionary === undefined ? null : Buffer.from(dictionary, 'hex'),
  }));
  const shard = Math.floor(Math.random() * SHARDS);
  await sql`
    WITH stored AS (
      INSERT INTO gleaner.blobs ${sql(rows)}
      ON CONFLICT (account_id, hash) DO UPDATE
      SET expires_at = greatest(blobs.expires_at, excluded.expires_at), bytes = coalesce(blobs.bytes, excluded.bytes),
        encoding = CASE WHEN blobs.bytes IS NULL THEN excluded.encoding ELSE blobs.encoding END,
        dictionary = CASE WHEN blobs.bytes IS NULL THEN excluded.dictionary ELSE blobs.dictionary END
      WHERE blobs.expires_at < excluded.expires_at - ${EXPIRY_STEP}::text::interval
        OR (blobs.bytes IS NULL AND excluded.bytes IS NOT NULL)
      RETURNING blobs.stored_bytes, blobs.xmax = 0 AS is_new
    )
    INSERT INTO gleaner.blob_usage AS u (account_id, shard, bytes)
    SELECT ${accountId}, ${shard}::smallint, sum(stored_bytes) FROM stored WHERE is_new HAVING count(*) > 0
    ON CONFLICT (account_id, shard) DO UPDATE SET bytes = u.bytes + excluded.bytes`;
}

/** Contents that are stored already and will live longer: their dictionaries must too. */
async function extendDictionaries(
  { sql }: Database,
  accountId: string,
  blobs: readonly Packed[],
): Promise<void> {
  const days = Math.max(...blobs.map(({ keptDays }) => keptDays));
  const rows = await sql<{ dictionary: Buffer }[]>`
    SELECT DISTINCT dictionary FROM gleaner.blobs
    WHERE account_id = ${accountId} AND hash IN ${sql(blobs.map(({ hash }) => Buffer.from(hash, 'hex')))}
      AND dictionary IS NOT NULL`;
  if (rows.length === 0) return;
  await sql`
    UPDATE gleaner.blobs SET expires_at = now() + ${days + DICTIONARY_EXTRA_DAYS}::int * interval '1 day'
    WHERE account_id = ${accountId} AND hash IN ${sql(rows.map(({ dictionary }) => dictionary))}
      AND expires_at < now() + ${days + 1}::int * interval '1 day'`;
}

/** Removes expired contents, at most `REMOVED_AT_ONCE`. @returns how many */
function removeSome({ sql }: Database, contents: BlobContents): Promise<number> {
  return sql.begin(async (tx) => {
    // The rows stay locked until their bytes are gone: a store of the same contents waits, and then writes them again.
    const gone = await tx<{ account_id: string; hash: string }[]>`
      WITH expired AS (
        SELECT account_id, hash FROM gleaner.blobs WHERE expires_at < now()
        ORDER BY expires_at LIMIT ${REMOVED_AT_ONCE} FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM gleaner.blobs b USING expired e WHERE b.account_id = e.account_id AND b.hash = e.hash
        RETURNING b.account_id, b.hash, b.stored_bytes
      ), freed AS (
        INSERT INTO gleaner.blob_usage AS u (account_id, shard, bytes)
        SELECT account_id, 0::smallint, -sum(stored_bytes) FROM gone GROUP BY account_id ORDER BY account_id
        ON CONFLICT (account_id, shard) DO UPDATE SET bytes = u.bytes + excluded.bytes
      )
      SELECT account_id, encode(hash, 'hex') AS hash FROM gone`;
    for (const [accountId, rows] of Map.groupBy(gone, (row) => row.account_id)) {
      await contents.remove(
        accountId,
        rows.map(({ hash }) => hash),
      );
    }
    return gone.length;
  });
}

/** What fits into the free bytes, each content once. `hashes` has undefined for what does not fit. */
function fitInto(free: number, packed: readonly (Packed | undefined)[]) {
  const accepted = new Map<string, Packed>();
  let left = free;
  const hashes = packed.map((blob) => {
    if (blob === undefined || accepted.has(blob.hash)) return blob?.hash;
    if (blob.stored.length > left) return undefined;
    left -= blob.stored.length;
    accepted.set(blob.hash, blob);
    return blob.hash;
  });
  return { hashes, accepted: [...accepted.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1)) };
}

/**
 * Contents that are kept for a time, for an account, under its quota. Equal ones of an account are stored once.
 * @param quotaBytes bytes that an account may have stored, compressed
 */
export function createBlobStore(db: Database, quotaBytes: number, contents = postgresContents) {
  const { sql } = db;
  const dictionaries = createDictionaries(sql);

  /** Adds the dictionaries that are known. The first content of each other family is to become one, so it is kept longer. */
  const chooseDictionaries = (accountId: string, blobs: readonly NewBlob[]) => {
    const candidates = new Map<string, NewBlob>();
    const chosen = blobs.map((blob) => {
      const { family, bytes, keptDays } = blob;
      if (family === undefined || !contents.isInRow) return { ...blob, dictionary: undefined };
      const dictionary = dictionaries.find(accountId, family, keptDays);
      if (dictionary !== undefined || candidates.has(family) || bytes.length < LEAST_BYTES)
        return { ...blob, dictionary };
      candidates.set(family, blob);
      return { ...blob, keptDays: keptDays + DICTIONARY_EXTRA_DAYS, dictionary };
    });
    return { chosen, candidates };
  };

  const readContent = async (accountId: string, hash: string, row: BlobRow): Promise<Buffer | undefined> => {
    const stored = await contents.read(accountId, hash, row.bytes);
    if (stored === undefined || row.encoding === 'raw') return stored;
    const limit = { maxOutputLength: MAX_BLOB_BYTES };
    const { dictionary: name } = row;
    if (name === null) return decompress(stored, limit);
    const dictionary = await dictionaries.load(accountId, name, async () => {
      const [own] = await sql<BlobRow[]>`
        SELECT encoding, bytes, NULL AS dictionary FROM gleaner.blobs
        WHERE account_id = ${accountId} AND hash = ${Buffer.from(name, 'hex')}`;
      return own && readContent(accountId, name, own);
    });
    return dictionary && decompress(stored, { ...limit, dictionary });
  };

  return {
    /**
     * Stores contents.
     * @returns their hashes (SHA-256, hexadecimal) in the same order; undefined for each that exceeds the quota
     */
    async put(accountId: string, blobs: readonly NewBlob[]): Promise<(string | undefined)[]> {
      const { chosen, candidates } = chooseDictionaries(accountId, blobs);
      const packed = await packAll(chosen);
      const { hashes, accepted } = fitInto(quotaBytes - (await readAllBytes(db, accountId)), packed);
      if (accepted.length === 0) return hashes;
      await extendDictionaries(db, accountId, accepted);
      // Rows first: they wait for a removal of the same contents, which would take the new bytes with it.
      await insertBlobs(db, contents, accountId, accepted);
      await Promise.all(accepted.map(({ hash, stored }) => contents.write(accountId, hash, stored)));
      for (const [family, blob] of candidates) {
        const hash = hashes[blobs.indexOf(blob)];
        if (hash !== undefined) await dictionaries.nominate(accountId, family, { ...blob, hash });
      }
      return hashes;
    },
    /** @returns undefined when the account has no such content, or it was removed */
    async get(accountId: string, hash: string): Promise<Buffer | undefined> {
      const [row] = await sql<BlobRow[]>`
        SELECT encoding, bytes, encode(dictionary, 'hex') AS dictionary FROM gleaner.blobs
        WHERE account_id = ${accountId} AND hash = ${Buffer.from(hash, 'hex')} AND expires_at > now()`;
      return row && readContent(accountId, hash, row);
    },
    /** Bytes stored for the account, compressed. */
    usedBytes: (accountId: string): Promise<number> => readUsedBytes(db, accountId),
    /** Removes contents that have expired. @returns how many */
    removeExpired: (): Promise<number> => repeatWhileFull(REMOVED_AT_ONCE, () => removeSome(db, contents)),
  };
}
