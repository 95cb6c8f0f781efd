import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

/** An S3 server on the loopback that checks signatures. */
export interface TestS3 {
  /** The address of its bucket. */
  url: string;
  close(): Promise<void>;
}

/** The keys that the server knows. */
export const S3_KEYS = { region: 'us-east-1', accessKey: 'S3RVER', secretKey: 'S3RVER' };

export async function startS3(): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'gleaner-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'gleaner', configs: [] }],
  });
  const { port } = await server.run();
  return {
    url: `http://127.0.0.1:${port}/gleaner`,
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
