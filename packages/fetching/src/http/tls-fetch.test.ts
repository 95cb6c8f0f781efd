import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../testing/test-certificate.ts';
import { createTestFetcher } from '../testing/test-fetcher.ts';
import { startTestProxy } from '../testing/test-proxy.ts';

const HOST = 'secure.example.com';
const certificate = makeCertificate(HOST);

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

async function startTls(): Promise<number> {
  const server = createServer({ ...certificate }, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`HTTP/${request.httpVersion}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return (server.address() as AddressInfo).port;
}

async function startHttp2(): Promise<number> {
  const server = createSecureServer({ ...certificate, allowHTTP1: false });
  server.on('stream', (stream, headers) => {
    if (headers[':path'] === '/redirect') {
      stream.respond({ ':status': 302, location: '/end', 'set-cookie': 'a=1' });
      stream.end();
      return;
    }
    stream.respond({ ':status': 200, 'content-type': 'text/html' });
    stream.end(`HTTP/2 ${headers[':path']} ${headers['cookie'] ?? ''}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function open(port: number, host = HOST, ca = certificate?.cert) {
  const client = await createTestFetcher(`${host}:${port}`, {
    certificateAuthority: ca,
    resolve: async () => ['127.0.0.1'],
  });
  closers.push(() => client.fetcher.close());
  return client;
}

describe.skipIf(certificate === undefined)('a fetch over TLS', { meta: { missing: 'openssl' } }, () => {
  it('checks the name in the URL, not the pinned address', async () => {
    const port = await startTls();
    const client = await open(port);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(text((await client.fetch(`https://${HOST}:${port}/`)).body)).toBe('HTTP/1.1');
    }
  });

  it('refuses a certificate for another name, and one that nobody signed', async () => {
    const port = await startTls();
    const misnamed = await open(port, 'other.example.com');
    await expect(misnamed.fetch(`https://other.example.com:${port}/`)).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') },
    });
    const unsigned = await createTestFetcher(`${HOST}:${port}`, { resolve: async () => ['127.0.0.1'] });
    closers.push(() => unsigned.fetcher.close());
    await expect(unsigned.fetch(`https://${HOST}:${port}/`)).rejects.toMatchObject({
      retryable: false,
      options: { detail: expect.stringContaining('certificate') },
    });
    await expect(unsigned.fetch(`https://${HOST}:${port}/`, { useBrowser: true })).rejects.toMatchObject({
      retryable: false,
      options: { detail: expect.stringContaining('certificate') },
    });
  });

  it('speaks HTTP/2 where the target does, with redirects and cookies', async () => {
    const port = await startHttp2();
    const client = await open(port);
    const pages = await Promise.all(
      Array.from({ length: 5 }, async () => client.fetch(`https://${HOST}:${port}/redirect`)),
    );
    expect(pages.map(({ body }) => text(body))).toEqual(Array.from({ length: 5 }, () => 'HTTP/2 /end a=1'));
  });

  it('trusts no certificate more because it came through a proxy', async () => {
    const port = await startTls();
    const proxy = await startTestProxy({ password: 'pass' });
    closers.push(() => proxy.close());
    const client = await createTestFetcher(`${HOST}:${port}`, {
      resolve: async () => ['127.0.0.1'],
      proxies: { highquality: [proxy.url('user:pass')] },
    });
    closers.push(() => client.fetcher.close());
    await expect(client.fetch(`https://${HOST}:${port}/`, { proxy: 'highquality' })).rejects.toMatchObject({
      code: 'fetch_failed',
    });
  });
});
