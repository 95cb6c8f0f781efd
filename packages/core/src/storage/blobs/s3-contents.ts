import { AwsClient } from 'aws4fetch';
import { AppError, cutText } from '@gleaner/contracts';
import type { BlobContents } from './blob-contents.ts';

/** A bucket of an S3-compatible store, which the operator configures. */
export interface S3Options {
  /** Address of the bucket, with an optional folder: `https://s3.example.com/gleaner`. */
  url: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

const TIMEOUT_MS = 15_000;
const RETRIES = 2;
const REMOVED_TOGETHER = 16;

function explain(cause: unknown, detail: string): AppError {
  return new AppError('temporarily_unavailable', { detail, cause });
}

/** The bytes are objects of an S3-compatible store, named `<account>/<hash>`. */
export function createS3Contents({ url, region, accessKey, secretKey }: S3Options): BlobContents {
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    region,
    service: 's3',
    retries: RETRIES,
  });
  const base = url.replace(/\/$/, '');

  /** @throws AppError temporarily_unavailable: no answer, or another one than these */
  const request = async (
    method: 'GET' | 'PUT' | 'DELETE',
    name: string,
    expected: readonly number[],
    body?: Buffer,
  ): Promise<Response> => {
    const response = await client
      .fetch(`${base}/${name}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      })
      .catch((error: unknown) => {
        throw explain(error, 'the store of kept pages does not answer');
      });
    if (expected.includes(response.status)) return response;
    // The answer may name keys and buckets, so clients get its status alone.
    const text = cutText(await response.text().catch(() => ''), 500);
    throw explain(new Error(text), `the store of kept pages answered ${response.status}`);
  };

  return {
    isInRow: false,
    inRow: () => null,
    async write(accountId, hash, bytes) {
      const response = await request('PUT', `${accountId}/${hash}`, [200, 201, 204], bytes);
      await response.body?.cancel();
    },
    async read(accountId, hash, inRow) {
      // Stored before this store was configured.
      if (inRow !== null) return inRow;
      const response = await request('GET', `${accountId}/${hash}`, [200, 404]);
      if (response.status === 200) return Buffer.from(await response.arrayBuffer());
      await response.body?.cancel();
      return undefined;
    },
    async remove(accountId, hashes) {
      for (let from = 0; from < hashes.length; from += REMOVED_TOGETHER) {
        await Promise.all(
          hashes.slice(from, from + REMOVED_TOGETHER).map(async (hash) => {
            const response = await request('DELETE', `${accountId}/${hash}`, [200, 204, 404]);
            await response.body?.cancel();
          }),
        );
      }
    },
  };
}
