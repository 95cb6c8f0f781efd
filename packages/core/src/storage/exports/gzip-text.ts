import { createGzip } from 'node:zlib';

/** Compresses a stream. Reads the next part of the source after the reader has taken the output of the last one. */
export async function* gzipParts(
  source: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip();
  const ready: Buffer[] = [];
  gzip.on('data', (part: Buffer) => ready.push(part));
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  gzip.once('end', resolve).once('error', reject);
  ended.catch(() => undefined);
  try {
    for await (const part of source) {
      await new Promise<void>((done, fail) => {
        gzip.write(part, (error) => (error ? fail(error) : done()));
      });
      if (ready.length > 0) yield Buffer.concat(ready.splice(0));
    }
    gzip.end();
    await ended;
    yield Buffer.concat(ready);
  } finally {
    gzip.destroy();
  }
}
