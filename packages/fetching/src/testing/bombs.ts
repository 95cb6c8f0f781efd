import zlib from 'node:zlib';

const MEMBER_BYTES = 16 * 1024 * 1024;

/** Small bodies that decode to a gibibyte of zeros: gzip and zstd streams may be concatenated, brotli's not. */
export async function makeBombs(): Promise<Record<'gzip' | 'zstd' | 'br' | 'gzip, gzip', Buffer>> {
  const zeros = Buffer.alloc(MEMBER_BYTES);
  const members = 64;
  const often = (member: Buffer): Buffer => Buffer.concat(Array.from({ length: members }, () => member));
  const gzip = often(zlib.gzipSync(zeros, { level: 9 }));
  const zstd = often(zlib.zstdCompressSync(zeros));
  const encoder = zlib.createBrotliCompress({
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  const chunks: Buffer[] = [];
  encoder.on('data', (chunk: Buffer) => chunks.push(chunk));
  for (let member = 0; member < members; member += 1) {
    await new Promise<void>((resolve, reject) =>
      encoder.write(zeros, (error) => (error ? reject(error) : resolve())),
    );
  }
  await new Promise<void>((resolve) => {
    encoder.once('end', resolve);
    encoder.end();
  });
  return { gzip, zstd, br: Buffer.concat(chunks), 'gzip, gzip': zlib.gzipSync(gzip) };
}
