import { AwsClient } from 'aws4fetch';
import { AppError, cutText } from '@gleaner/contracts';

/** Where the bytes of blobs are. Names are made of the account and a hash, so that equal bytes have one name. */
export interface BlobContents {
  /** Rows hold the bytes, so that these change together with the row that names their dictionary. */
  isInRow: boolean;
  /** Stores bytes after their row; until then the row has none. Safe to repeat. */
  write(accountId: string, hash: string, bytes: Buffer): Promise<void>;
  /** @returns undefined when they were removed */
  read(accountId: string, hash: string, inRow: Buffer | null): Promise<Buffer | undefined>;
  /** Removes bytes in the transaction that removes their rows. Safe to repeat. */
  remove(accountId: string, hashes: readonly string[]): Promise<void>;
}

/** The bytes are in the row itself. */
export const postgresContents: BlobContents = {
  isInRow: true,
  write: () => Promise.resolve(),
  read: (_accountId, _hash, inRow) => Promise.resolve(inRow ?? undefined),
  remove: () => Promise.resolve(),
};

/** A bucket of an S3-compatible store, which the operator configures. */
export interface S3Options {
  /** Address of the bucket, with an optional folder: `https://s3.example.com/gleaner`. */
  url: string;
  region: string;
  accessKey: string;
  secretKey: string;
  /** For one request with its retries. Default 15 s. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const RETRIES = 2;
const REMOVED_TOGETHER = 16;

function explain(cause: unknown, detail: string): AppError {
  return new AppError('temporarily_unavailable', { detail, cause });
}

/** The bytes are objects of an S3-compatible store, named `<account>/<hash>`. */
export function createS3Contents(options: S3Options): BlobContents {
  const { url, region, accessKey, secretKey, timeoutMs = TIMEOUT_MS } = options;
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    region,
    service: 's3',
    retries: RETRIES,
  });
  const base = url.replace(/\/$/, '');

  /** @returns an object that was read @throws AppError temporarily_unavailable: no answer, or another one than these */
  const request = async (
    method: 'GET' | 'PUT' | 'DELETE',
    name: string,
    expected: readonly number[],
    body?: Buffer,
  ): Promise<Buffer | undefined> => {
    const response = await client
      .fetch(`${base}/${name}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        body: body && new Uint8Array(body),
      })
      .catch((error: unknown) => {
        throw explain(error, 'the store of kept pages does not answer');
      });
    if (method === 'GET' && response.status === 200) return Buffer.from(await response.arrayBuffer());
    if (expected.includes(response.status)) {
      await response.body?.cancel();
      return undefined;
    }
    // The answer may name keys and buckets, so clients get its status alone.
    const text = cutText(await response.text().catch(() => ''), 500);
    throw explain(new Error(text), `the store of kept pages answered ${response.status}`);
  };

  return {
    isInRow: false,
    write: async (accountId, hash, bytes) => {
      await request('PUT', `${accountId}/${hash}`, [200, 201, 204], bytes);
    },
    read: async (accountId, hash, inRow) =>
      // Those in rows were stored before this store was configured.
      inRow ?? request('GET', `${accountId}/${hash}`, [200, 404]),
    async remove(accountId, hashes) {
      for (let from = 0; from < hashes.length; from += REMOVED_TOGETHER) {
        await Promise.all(
          hashes.slice(from, from + REMOVED_TOGETHER).map(async (hash) => {
            await request('DELETE', `${accountId}/${hash}`, [200, 204, 404]);
          }),
        );
      }
    },
  };
}
