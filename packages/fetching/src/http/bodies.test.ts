import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { startTestProxy, type TestProxy } from '../testing/test-proxy.ts';
import { sendPage, startTestSite, type RequestHandler, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let proxy: TestProxy;
let client: TestFetcher;
const answers = new Map<string, RequestHandler>();

beforeAll(async () => {
  site = await startTestSite((request, response) => {
    const answer = answers.get(request.url);
    if (answer === undefined) sendPage(response, '<p>page</p>');
    else answer(request, response);
  });
  proxy = await startTestProxy({ password: 'pass' });
  client = await createTestFetcher(site.host, { proxies: { highquality: [proxy.url('user:pass')] } });
});

afterAll(async () => {
  await client.fetcher.close();
  await proxy.close();
  await site.close();
});

function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}
function at(path: string, answer: RequestHandler): string {
  answers.set(path, answer);
  return site.origin + path;
}

describe('bodies', () => {
  const html = `<p>${'text '.repeat(2_000)}</p>`;
  it.each([
    ['gzip', zlib.gzipSync(html)],
    ['x-gzip', zlib.gzipSync(html)],
    ['deflate', zlib.deflateSync(html)],
    ['deflate', zlib.deflateRawSync(html)],
    ['br', zlib.brotliCompressSync(html)],
    ['zstd', zlib.zstdCompressSync(html)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(html))],
    ['identity', Buffer.from(html)],
  ])('are decoded: %s', async (encoding, body) => {
    const url = at('/encoded', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding }).end(body);
    });
    expect(text((await client.fetch(url)).body)).toBe(html);
  });

  it.each([{}, { proxy: 'highquality' }])('in pieces of one byte are refused: %j', async (config) => {
    const url = at('/crumbs', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'transfer-encoding': 'chunked' });
      response.flushHeaders();
      response.socket?.write('1\r\na\r\n'.repeat(200_000));
    });
    await expect(client.fetch(url, config)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringMatching(/pieces of a few bytes/) },
    });
  });

  it('in small pieces are read', async () => {
    const words = Array.from({ length: 70_000 }, (_, index) => `<p>the word number ${index}`);
    const url = at('/words', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      for (const word of words) response.write(word);
      response.end();
    });
    expect(text((await client.fetch(url)).body)).toBe(words.join(''));
  });

  it.each(['none', 'utf-8', 'binary', 'UTF8', 'text/html', 'identity, none'])(
    'of an encoding that no browser knows are read as they are: %s',
    async (encoding) => {
      const url = at('/mislabelled', (_request, response) => {
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding })
          .end('<p>here</p>');
      });
      expect(text((await client.fetch(url)).body)).toBe('<p>here</p>');
    },
  );

  it.each([
    'text/html charset=utf-8',
    'text/html, text/html; charset=utf-8',
    'html',
    '*/*',
    'text/x-json',
    'text/html;',
    ' Text/HTML ;charset=utf-8',
  ])('of a type that is written carelessly are read: %s', async (type) => {
    const url = at('/careless', (_request, response) => {
      response.writeHead(200, { 'content-type': type }).end('<p>here</p>');
    });
    expect(text((await client.fetch(url)).body)).toBe('<p>here</p>');
  });

  it.each([
    ['%PDF-1.7\n', /a PDF/],
    ['PK\x03\x04\x14', /a zip archive/],
    ['\x89PNG\r\n\x1a\n', /a PNG picture/],
    ['\xff\xd8\xff\xe0', /a JPEG picture/],
    ['\x1f\x8b\x08\0', /a gzip file/],
  ])('that are files are refused, whatever they are called: %j', async (begin, detail) => {
    const url = at('/file', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(Buffer.from(`${begin}rest`, 'latin1'));
    });
    await expect(client.fetch(url)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringMatching(detail) },
    });
  });

  it.each([
    ['gzip, gzip, gzip', Buffer.from('x'), /more than 2 content encodings/],
    ['compress', Buffer.from('x'), /compress is not supported/],
    ['gzip', Buffer.from('this is not gzip'), /not valid gzip/],
    ['br', Buffer.from('this is not brotli'), /not valid br/],
    ['zstd', Buffer.from('this is not zstd'), /not valid zstd/],
  ])('are refused: %s', async (encoding, body, detail) => {
    const url = at('/refused', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding }).end(body);
    });
    await expect(client.fetch(url)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringMatching(detail) },
    });
  });

  it.each([
    ['gzip', zlib.gzipSync(html), {}],
    ['gzip', zlib.gzipSync(html), { proxy: 'highquality' }],
    ['deflate', zlib.deflateSync(html), { proxy: 'highquality' }],
    ['br', zlib.brotliCompressSync(html), { proxy: 'highquality' }],
    ['zstd', zlib.zstdCompressSync(html), { proxy: 'highquality' }],
  ])('that are half of %s fail, and may succeed later', async (encoding, body, config) => {
    const half = body.subarray(0, body.length / 2);
    const url = at('/half', (_request, response) => {
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'content-encoding': encoding,
          'content-length': half.length,
        })
        .end(half);
    });
    await expect(client.fetch(url, config)).rejects.toMatchObject({ code: 'fetch_failed', retryable: true });
  });

  it('raise memory by less than 150 MB when they are bombs of 1 GiB', async () => {
    const program = join(import.meta.dirname, '../testing/fetch-bombs.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    const rises = JSON.parse(stdout) as { name: string; detail?: string; bytes: number }[];
    expect(rises).toHaveLength(6);
    for (const { name, detail, bytes } of rises) {
      expect(detail, name).toContain('larger than');
      expect(bytes, name).toBeLessThan(150e6);
    }
  });

  it.each(['gzip', 'br', 'zstd'])(
    'that are cut on purpose give what can be decoded: %s',
    async (encoding) => {
      const encode = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync, zstd: zlib.zstdCompressSync }[
        encoding
      ];
      const body = encode?.(
        Buffer.from(Array.from({ length: 9_000 }, (_line, index) => `line ${index}`).join('\n')),
      );
      const url = at('/cut', (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(body);
      });
      const answer = await client.fetcher.fetchRaw({ url, deadlineAt: Date.now() + 5_000, maxBytes: 4_000 });
      expect(answer.status).toBe(200);
      expect('line 0\nline 1\n'.startsWith(text(answer.body).slice(0, 14))).toBe(true);
    },
  );

  it('that are not what they claim don’t hide the status from who needs no more', async () => {
    const url = at('/no-gzip', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('thanks');
    });
    const request = { url, deadlineAt: Date.now() + 5_000 };
    await expect(client.fetcher.fetchRaw(request)).rejects.toMatchObject({ code: 'fetch_failed' });
    const answer = await client.fetcher.fetchRaw({ ...request, isBodyOptional: true });
    expect(answer).toMatchObject({ status: 200, body: new Uint8Array() });
  });

  it('are cut at the cap on the wire, announced or not', async () => {
    const small = await createTestFetcher(site.host, { maxWireBytes: 1_000 });
    const told = at('/told', (_request, response) => sendPage(response, 'x'.repeat(5_000)));
    const untold = at('/untold', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      for (let part = 0; part < 10; part += 1) response.write('x'.repeat(500));
      response.end();
    });
    for (const url of [told, untold]) {
      await expect(small.fetch(url)).rejects.toMatchObject({
        retryable: false,
        options: { detail: 'the page is larger than 1000 bytes' },
      });
    }
    await small.fetcher.close();
  });

  it('may be larger than a page when the caller says so, plain or packed', async () => {
    const large = 'x'.repeat(20_000_000);
    const plain = at('/large', (_request, response) => sendPage(response, large));
    const packed = at('/large-packed', (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zlib.gzipSync(large));
    });
    for (const url of [plain, packed]) {
      const request = { url, deadlineAt: Date.now() + 30_000, maxBytes: 21_000_000 };
      expect((await client.fetcher.fetchRaw(request)).body).toHaveLength(20_000_000);
    }
    const cut = { url: plain, deadlineAt: Date.now() + 30_000, maxBytes: 17_000_000 };
    expect((await client.fetcher.fetchRaw(cut)).body).toHaveLength(17_000_000);
  });

  it.each([
    'text/html',
    'application/xhtml+xml',
    'text/xml',
    'application/rss+xml',
    'application/ld+json',
    'text/plain',
  ])('of type %s are pages', async (type) => {
    const url = at('/typed', (_request, response) => {
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end('x');
    });
    expect((await client.fetch(url)).contentType).toBe(`${type}; charset=utf-8`);
  });

  it.each(['image/png', 'application/pdf', 'video/mp4', 'application/octet-stream'])(
    'of type %s are refused by name',
    async (type) => {
      const url = at('/typed', (_request, response) => {
        response.writeHead(200, { 'content-type': type }).end('x');
      });
      await expect(client.fetch(url)).rejects.toMatchObject({
        code: 'fetch_failed',
        retryable: false,
        options: { detail: expect.stringContaining(type) },
      });
    },
  );

  it.each(['application/pdf', 'application/x-pdf; x=1', 'text/html', ''])(
    'that are PDFs are read where that is asked for, whatever they are called: %s',
    async (type) => {
      const pdf = '\r\n%PDF-1.7\n\x00\x01\xe2\xe3';
      const url = at('/pdf', (_request, response) => {
        response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(Buffer.from(pdf, 'latin1'));
      });
      const page = await client.fetch(url, {}, { readsPdf: true });
      expect(Buffer.from(page.body).toString('latin1')).toBe(pdf);
    },
  );

  it('that are only called PDFs are read when they are text, refused when binary', async () => {
    let body = Buffer.from('<p>log in first</p>');
    const url = at('/no-pdf', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(body);
    });
    expect(text((await client.fetch(url, {}, { readsPdf: true })).body)).toBe('<p>log in first</p>');
    body = Buffer.from('\x00\x01binary', 'latin1');
    await expect(client.fetch(url, {}, { readsPdf: true })).rejects.toMatchObject({
      code: 'fetch_failed',
      options: { detail: 'the target answered with application/pdf, but its body is no PDF' },
    });
  });

  it('without a type are read when they are text, refused when binary', async () => {
    let body = Buffer.from('<p>text</p>');
    const url = at('/untyped', (_request, response) => {
      response.writeHead(200).end(body);
    });
    expect(text((await client.fetch(url)).body)).toBe('<p>text</p>');
    body = Buffer.from([0x89, 0x50, 0, 0, 1]);
    await expect(client.fetch(url)).rejects.toMatchObject({
      options: { detail: expect.stringContaining('binary') },
    });
  });
});
