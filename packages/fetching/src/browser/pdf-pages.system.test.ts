import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { startTestSite, type TestSite } from '../testing/test-site.ts';

const PDF = '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF';
const HEADERS: Record<string, Record<string, string>> = {
  '/shown': { 'content-type': 'application/pdf' },
  '/saved': { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="a.pdf"' },
  '/called-html': { 'content-type': 'text/html' },
};

let site: TestSite;
let client: TestFetcher;

beforeAll(async () => {
  site = await startTestSite(({ url }, response) => {
    response.writeHead(200, HEADERS[url]).end(PDF);
  });
  client = await createTestFetcher(site.host);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
});

describe('a PDF in a browser', () => {
  it.each(Object.keys(HEADERS))('is read without it where that is asked for: %s', async (path) => {
    const page = await client.fetch(site.origin + path, { useBrowser: true }, { readsPdf: true });
    expect(Buffer.from(page.body).toString()).toBe(PDF);
  });

  it.each(Object.keys(HEADERS))('is refused as a PDF elsewhere: %s', async (path) => {
    await expect(client.fetch(site.origin + path, { useBrowser: true })).rejects.toMatchObject({
      code: 'fetch_failed',
      retryable: false,
      options: { detail: expect.stringMatching(/pdf/i), hint: expect.stringContaining('page facts') },
    });
  });
});
