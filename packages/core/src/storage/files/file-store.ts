import { repeatWhileFull } from '../../platform/process/repeat-while-full.ts';
import { randomBytes } from 'node:crypto';
import { AppError } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import { createBlobStore, type BlobStore } from '../blobs/blob-store.ts';
import type { Services } from '../../platform/context.ts';
import type { Config } from '../../platform/config/load-config.ts';
import { postgresContents, type BlobContents, createS3Contents } from '../blobs/blob-contents.ts';

export interface KeptFiles {
  files: FileStore;
  blobs: BlobStore;
}

/** Where the configuration puts the bytes of blobs. */
export function openContents({ s3Url, s3Region, s3AccessKey, s3SecretKey }: Config): BlobContents {
  if (s3Url === undefined || s3AccessKey === undefined || s3SecretKey === undefined) return postgresContents;
  return createS3Contents({
    url: s3Url,
    region: s3Region,
    accessKey: s3AccessKey,
    secretKey: s3SecretKey,
  });
}

/** The configured store of files. */
export function openFileStore({ db, config }: Pick<Services, 'db' | 'config'>): KeptFiles {
  const blobs = createBlobStore({ db, quotaBytes: config.keptBytes, contents: openContents(config) });
  const baseUrl = (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/$/, '');
  return { blobs, files: createFileStore({ db, blobs, baseUrl, keptDays: config.fileDays }) };
}

/** A file as it is kept. */
export interface NewFile {
  contentType: string;
  bytes: Uint8Array;
}

/** Files of accounts, each at a secret address that expires. Anyone with the address may read the file. */
export interface FileStore {
  /**
   * Keeps files.
   * @returns their addresses in the same order
   * @throws AppError plan_limit_exceeded when the files exceed the account's quota
   */
  keep(accountId: string, files: readonly NewFile[]): Promise<string[]>;
  /** @returns undefined for an id that never existed and for a file that has expired alike */
  read(id: string): Promise<NewFile | undefined>;
  /** Removes the addresses that have expired. Their contents go with the blob store. @returns how many */
  removeExpired(): Promise<number>;
}

export interface FileStoreOptions {
  db: Database;
  blobs: BlobStore;
  /** Base of the addresses. */
  baseUrl: string;
  keptDays: number;
}

const ID = /^fil_[0-9a-f]{40}$/;
const REMOVED_AT_ONCE = 5_000;

/** The id is the whole secret of an address. */
function createFileId(): string {
  return `fil_${randomBytes(20).toString('hex')}`;
}

/** The path of a file's address. */
export const FILES_PATH = '/files';

export function createFileStore({ db, blobs, baseUrl, keptDays }: FileStoreOptions): FileStore {
  const { sql } = db;
  return {
    async keep(accountId, files) {
      if (files.length === 0) return [];
      const hashes = await blobs.put(
        accountId,
        files.map(({ bytes }) => ({ bytes, keptDays })),
      );
      const rows = files.map(({ contentType }, index) => {
        const hash = hashes[index];
        if (hash === undefined) {
          throw new AppError('plan_limit_exceeded', {
            detail: 'the files and pages that are kept for the account fill its quota',
            hint: 'Ask for screenshots and PDFs of fewer pages, or wait until older ones expire.',
            retryable: false,
          });
        }
        return {
          id: createFileId(),
          account_id: accountId,
          hash: Buffer.from(hash, 'hex'),
          content_type: contentType,
          expires_at: new Date(Date.now() + keptDays * 86_400_000).toISOString(),
        };
      });
      await sql`INSERT INTO gleaner.files ${sql(rows)}`;
      return rows.map(({ id }) => `${baseUrl}${FILES_PATH}/${id}`);
    },
    async read(id) {
      if (!ID.test(id)) return undefined;
      const [row] = await sql<{ account_id: string; hash: string; content_type: string }[]>`
        SELECT account_id, encode(hash, 'hex') AS hash, content_type FROM gleaner.files
        WHERE id = ${id} AND expires_at > now()`;
      if (row === undefined) return undefined;
      const bytes = await blobs.get(row.account_id, row.hash);
      return bytes && { contentType: row.content_type, bytes };
    },
    async removeExpired() {
      return repeatWhileFull(REMOVED_AT_ONCE, async () => {
        const { count } = await sql`
          DELETE FROM gleaner.files WHERE id IN (
            SELECT id FROM gleaner.files WHERE expires_at < now() ORDER BY expires_at LIMIT ${REMOVED_AT_ONCE})`;
        return count;
      });
    },
  };
}
