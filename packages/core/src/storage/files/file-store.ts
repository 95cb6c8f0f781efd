import { repeatWhileFull } from '../../platform/process/repeat-while-full.ts';
import { randomBytes } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { KEPT_SHARE } from '../../platform/stored/stored-bytes.ts';
import { createBlobStore, type BlobStore } from '../blobs/blob-store.ts';
import { baseUrlOf } from '../../platform/config/base-url.ts';
import type { Services } from '../../platform/context.ts';
import type { Config } from '../../platform/config/load-config.ts';
import { postgresContents, type BlobContents, createS3Contents } from '../blobs/s3-contents.ts';

/** Where the configuration puts the bytes of blobs. */
export function openContents(config: Config): BlobContents {
  const { s3Url: url, s3Region: region, s3AccessKey: accessKey, s3SecretKey: secretKey } = config;
  if (url === undefined || accessKey === undefined || secretKey === undefined) return postgresContents;
  return createS3Contents({ url, region, accessKey, secretKey });
}

/** The configured store of files, with that of their contents. */
export function openFileStore({ db, config }: Pick<Services, 'db' | 'config'>) {
  const blobs = createBlobStore(db, config.accountBytes * KEPT_SHARE, openContents(config));
  const baseUrl = baseUrlOf(config);
  return { blobs, files: createFileStore({ db, blobs, baseUrl, keptDays: config.fileDays }) };
}

/** A file as it is kept. */
interface NewFile {
  contentType: string;
  bytes: Uint8Array;
}

export type FileStore = ReturnType<typeof createFileStore>;

interface FileStoreOptions {
  db: Database;
  blobs: BlobStore;
  /** Base of the addresses. */
  baseUrl: string;
  keptDays: number;
}

const ID = /^fil_[0-9a-f]{40}$/;
const REMOVED_AT_ONCE = 5_000;

/** The path of a file's address. */
export const FILES_PATH = '/files';

/** Files of accounts, each at a secret address that expires. Anyone with the address may read the file. */
export function createFileStore({ db, blobs, baseUrl, keptDays }: FileStoreOptions) {
  const { sql } = db;
  return {
    /**
     * Keeps files.
     * @returns their addresses in the same order
     * @throws AppError plan_limit_exceeded when the files exceed the account's quota
     */
    async keep(accountId: string, files: readonly NewFile[]): Promise<string[]> {
      if (files.length === 0) return [];
      const hashes = await blobs.put(
        accountId,
        files.map(({ bytes }) => ({ bytes, keptDays })),
      );
      const rows = files.map(({ contentType }, index) => {
        const hash = hashes[index];
        if (hash === undefined)
          throw new AppError('plan_limit_exceeded', {
            detail: 'the files and pages that are kept for the account fill its quota',
            hint: 'Ask for screenshots and PDFs of fewer pages, or wait until older ones expire.',
            retryable: false,
          });
        return {
          // The id is the whole secret of an address.
          id: `fil_${randomBytes(20).toString('hex')}`,
          account_id: accountId,
          hash: Buffer.from(hash, 'hex'),
          content_type: contentType,
          expires_at: new Date(Date.now() + keptDays * 86_400_000).toISOString(),
        };
      });
      await sql`INSERT INTO gleaner.files ${sql(rows)}`;
      return rows.map(({ id }) => `${baseUrl}${FILES_PATH}/${id}`);
    },
    /** @returns undefined for an id that never existed and for a file that has expired alike */
    async read(id: string): Promise<NewFile | undefined> {
      if (!ID.test(id)) return undefined;
      const [row] = await sql<{ account_id: string; hash: string; content_type: string }[]>`
        SELECT account_id, encode(hash, 'hex') AS hash, content_type FROM gleaner.files
        WHERE id = ${id} AND expires_at > now()`;
      if (row === undefined) return undefined;
      const bytes = await blobs.get(row.account_id, row.hash);
      return bytes && { contentType: row.content_type, bytes };
    },
    /** Removes the addresses that have expired. Their contents go with the blob store. @returns how many */
    async removeExpired(): Promise<number> {
      return repeatWhileFull(REMOVED_AT_ONCE, async () => {
        const { count } = await sql`
          DELETE FROM gleaner.files WHERE id IN (
            SELECT id FROM gleaner.files WHERE expires_at < now() ORDER BY expires_at LIMIT ${REMOVED_AT_ONCE})`;
        return count;
      });
    },
  };
}
