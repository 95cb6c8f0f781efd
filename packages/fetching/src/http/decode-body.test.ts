import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody } from './decode-body.ts';

const page = Buffer.from(
  Array.from({ length: 4_000 }, (_line, index) => `line ${(index * 7_919) % 997}`).join('\n'),
);
const ENCODE = {
  gzip: (body: Buffer) => zlib.gzipSync(body),
  deflate: (body: Buffer) => zlib.deflateSync(body),
  br: (body: Buffer) => zlib.brotliCompressSync(body),
  zstd: (body: Buffer) => zlib.zstdCompressSync(body),
};
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const;
function named(path: string): Buffer {
  const member = zlib.gzipSync(page);
  const header = Buffer.from(member.subarray(0, 10));
  header[3] = 8;
  return Buffer.concat([header, Buffer.from(`${path}\0`), member.subarray(10)]);
}
/** Larger than the part that is decoded at once. */
const noise = Buffer.from(Array.from({ length: 200_000 }, (_byte, index) => (index * index * 31) % 251));

const whole = { maxBytes: 10_000_000, isPartial: false };
const cut = { code: 'fetch_failed', retryable: true, options: { detail: expect.stringMatching(/cut off/) } };

describe('a compressed body', () => {
  it('never counts as whole when it ends within its data', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ENCODINGS),
        fc.constantFrom(page, noise, Buffer.from('short')),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (encoding, body, share) => {
          const sent = ENCODE[encoding](body);
          const part = sent.subarray(0, 1 + Math.floor((sent.length - 2) * share));
          const decoded = await decodeBody(part, encoding, whole).catch((error: unknown) => error);
          // When the text is complete, only a checksum is missing.
          if (decoded instanceof Uint8Array) expect(Buffer.from(decoded).equals(body)).toBe(true);
          else expect(decoded).toMatchObject({ code: 'fetch_failed' });
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([...ENCODINGS, 'gzip, br', 'br, gzip'])(
    'that is half of %s may come whole another time',
    async (encoding) => {
      const sent = encoding
        .split(', ')
        .reduce((body, name) => ENCODE[ENCODINGS.find((known) => known === name) ?? 'gzip'](body), page);
      await expect(decodeBody(sent.subarray(0, sent.length / 2), encoding, whole)).rejects.toMatchObject(cut);
    },
  );

  it('may be raw deflate, but not half of it', async () => {
    const sent = zlib.deflateRawSync(page);
    expect(await decodeBody(sent, 'deflate', whole)).toEqual(page);
    await expect(decodeBody(sent.subarray(0, sent.length / 2), 'deflate', whole)).rejects.toMatchObject(cut);
  });

  const gzip = zlib.gzipSync(page);
  const wrongChecksum = Buffer.from(gzip).fill(0xff, gzip.length - 8);
  const badlyNamed = Buffer.concat([named('page.html').subarray(0, -8), Buffer.alloc(8)]);
  it.each<[string, string, Buffer]>([
    ['gzip without its trailer', 'gzip', gzip.subarray(0, -8)],
    ['gzip with half its trailer', 'gzip', gzip.subarray(0, -3)],
    ['gzip with a wrong trailer', 'gzip', wrongChecksum],
    ['gzip with bytes behind it', 'gzip', Buffer.concat([gzip, Buffer.from('\n<!-- cached -->')])],
    ['named gzip with a wrong trailer', 'gzip', badlyNamed],
    ['deflate without its checksum', 'deflate', zlib.deflateSync(page).subarray(0, -4)],
    ...ENCODINGS.map((encoding): [string, string, Buffer] => [
      `${encoding} with zeros behind it`,
      encoding,
      Buffer.concat([ENCODE[encoding](page), Buffer.alloc(20)]),
    ]),
  ])('loses nothing and passes as in browsers: %s', async (_name, encoding, sent) => {
    expect(Buffer.from(await decodeBody(sent, encoding, whole)).equals(page)).toBe(true);
  });

  it.each(['gzip', 'zstd'] as const)('may be several parts of %s, all of them', async (encoding) => {
    const sent = ENCODE[encoding](page);
    const decoded = await decodeBody(Buffer.concat([sent, sent]), encoding, whole);
    expect(Buffer.from(decoded).equals(Buffer.concat([page, page]))).toBe(true);
    const half = Buffer.concat([sent, sent.subarray(0, sent.length / 2)]);
    await expect(decodeBody(half, encoding, whole)).rejects.toMatchObject(cut);
    await expect(
      decodeBody(Buffer.concat([sent, sent]), encoding, { ...whole, maxBytes: page.length + 1 }),
    ).rejects.toMatchObject({ retryable: false, options: { detail: expect.stringMatching(/larger than/) } });
  });

  it.each(['gzip', 'zstd'] as const)('is refused when it is of very many parts of %s', async (encoding) => {
    const empty = ENCODE[encoding](Buffer.alloc(0));
    const first = Buffer.from(ENCODE[encoding](page));
    // A wrong checksum: gzip is decoded part by part.
    if (encoding === 'gzip') first[first.length - 5] = 1;
    const sent = Buffer.concat([first, ...Array.from({ length: 100_000 }, () => empty)]);
    await expect(decodeBody(sent, encoding, whole)).rejects.toMatchObject({
      retryable: false,
      options: { detail: expect.stringContaining('too many parts') },
    });
  });

  it('gives what it holds when it was cut off on purpose', async () => {
    const half = gzip.subarray(0, gzip.length / 2);
    const decoded = Buffer.from(await decodeBody(half, 'gzip', { ...whole, isPartial: true }));
    expect(decoded.length).toBeGreaterThan(1_000);
    expect(page.subarray(0, decoded.length).equals(decoded)).toBe(true);
  });
});
