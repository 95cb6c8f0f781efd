import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createExtractionPool } from './index.ts';
import { writePdf } from '@gleaner/extractors/testing/write-pdf';
import { PDF_LIMITS } from '@gleaner/extractors/pdf';
import { createPdfReader } from './pdf-reader.ts';

const pool = createExtractionPool({ threads: 1 });
afterAll(() => pool.close());

const PDF = writePdf([[{ text: 'Hello', y: 700 }]], { title: 'Title' });
const FACTS = {
  title: { page: 'title' },
  text: { page: 'text' },
  markdown: { page: 'markdown' },
  pages: { page: 'pages', type: 'integer' },
} as const;

/** Content that unpacks to so many bytes of spaces, which are read one by one. */
function bomb(megabytes: number): Buffer {
  return writePdf([deflateSync(Buffer.alloc(megabytes * 1024 ** 2, ' '))]);
}

describe('a page that is a PDF', () => {
  it('is read by its bytes, whatever it is called, and has nothing to select', async () => {
    const page = {
      body: PDF,
      contentType: 'text/html; charset=utf-8',
      url: 'https://a.example/x',
      status: 200,
    };
    const others = { url: { page: 'url' }, html: { page: 'html' }, links: { page: 'links' } } as const;
    const schema = { fields: { ...FACTS, ...others, name: 'h1' } };
    const found = await pool.extract({ parserKey: 'all', schema, page, explain: true, refusesEmpty: true });
    expect(found).toMatchObject({
      ok: false,
      failure: { isEmpty: true, detail: expect.stringContaining('selectors read no PDF') },
    });
    expect(found.explain?.find(({ path }) => path === 'name')?.sources[0]?.reason).toMatch(
      /^selectors read no PDF/,
    );
    expect(found.explain?.find(({ path }) => path === 'text')?.sources[0]?.value).toBe('Hello');
  });

  it('without a fact of its text costs no process, and shows nothing of its bytes', async () => {
    const schema = { fields: { name: 'h1', html: { page: 'html' }, links: { page: 'links' } } } as const;
    const found = await pool.extract({ parserKey: 'none', schema, page: { body: PDF } });
    expect(found).toMatchObject({ ok: true, data: { name: null, html: null, links: [] } });
    expect(JSON.stringify(await pool.outline({ body: PDF }, 2_000))).not.toContain('%PDF');
  });

  it('is no page for facts of other pages: they have no number of pages', async () => {
    const page = { body: '<title>T</title><p>Text' };
    expect(await pool.extract({ parserKey: 'facts', schema: { fields: FACTS }, page })).toMatchObject({
      ok: true,
      data: { title: 'T', pages: null },
    });
  });

  it('that unpacks to more memory than one may use ends alone', async () => {
    const failed = pool.extract({ parserKey: 'facts', schema: { fields: FACTS }, page: { body: bomb(300) } });
    const other = pool.extract({ parserKey: 'facts', schema: { fields: FACTS }, page: { body: PDF } });
    expect(await failed).toMatchObject({
      ok: false,
      failure: { detail: `the PDF needs more than ${PDF_LIMITS.maxMemoryMb} MB of memory to be read` },
    });
    expect(await other).toMatchObject({
      ok: true,
      data: { title: 'Title', text: 'Hello', markdown: 'Hello', pages: 1 },
    });
  });
});

describe('the reader', () => {
  it('ends a PDF that takes too much CPU', async () => {
    const reader = createPdfReader({ maxMemoryMb: 2_000, maxCpuMs: 1 });
    expect(await reader.read(PDF)).toEqual({
      ok: false,
      detail: 'the PDF takes more than 0.001 s to be read',
    });
  });

  it('ends with its caller, also while another PDF is read', async () => {
    const reader = createPdfReader();
    const leaving = new AbortController();
    const first = reader.read(PDF, { owner: 'a', signal: leaving.signal });
    const second = reader.read(PDF, { owner: 'a', signal: leaving.signal });
    const third = reader.read(PDF, { owner: 'b' });
    const ends = [first, second].map((reading) => expect(reading).rejects.toThrow('gone'));
    leaving.abort(new Error('gone'));
    await Promise.all(ends);
    expect(await third).toMatchObject({ ok: true });
  });

  it('ends when it is closed', async () => {
    const reader = createPdfReader();
    const reading = reader.read(PDF);
    reader.close();
    await expect(reading).rejects.toThrow();
    await expect(reader.read(PDF)).rejects.toThrow();
  });
});
