import type { ParserSchema } from '@gleaner/contracts';
import { createExtractionPool } from '@gleaner/threads';
import { afterAll, describe, expect, it } from 'vitest';
import { extractAnswer, type AnswerRequest } from './extract-answer.ts';

const pool = createExtractionPool({ threads: 1, timeoutMs: 100_000 });
afterAll(() => pool.close());

const SCHEMA: ParserSchema = {
  fields: {
    title: 'h1',
    price: { css: '.price', type: 'number' },
    sku: { css: '.sku', required: true },
    rows: { css: 'li', take: 'all', fields: { n: { css: ':scope', type: 'integer' } } },
  },
};

function answer(options: Partial<AnswerRequest>): Promise<unknown> {
  return extractAnswer(pool, {
    parser: { key: 'k', schema: SCHEMA },
    page: { body: '<h1>T</h1><p class=price>Call us</p><ul><li>1<li>x</ul>' },
    explain: false,
    preview: true,
    accountId: 'acc',
    ...options,
  }).then((text): unknown => JSON.parse(text));
}

describe('extractAnswer', () => {
  it('a preview returns failed fields as null, with the reason at each field', async () => {
    expect(await answer({})).toEqual({
      data: { title: 'T', price: null, sku: null, rows: [{ n: 1 }, { n: null }] },
      fields: [
        { path: 'title', matched: true, value_count: 1, selector: 'h1' },
        { path: 'price', matched: true, value_count: 0, selector: null, error: '“Call us” is not a number' },
        {
          path: 'sku',
          matched: false,
          value_count: 0,
          selector: null,
          error: 'required, but nothing matched',
        },
        { path: 'rows', matched: true, value_count: 2, selector: 'li' },
        { path: 'rows.n', matched: true, value_count: 1, selector: ':scope', error: '“x” is not a number' },
      ],
    });
  });

  it('explains fields that fail', async () => {
    expect(await answer({ explain: true })).toMatchObject({
      data: { price: null },
      explain: expect.arrayContaining([
        expect.objectContaining({ path: 'price', reason: '“Call us” is not a number' }),
      ]) as unknown,
    });
  });

  it('reports the field that makes the result too large', async () => {
    const schema: ParserSchema = { fields: { a: 'h1', all: { css: 'i', take: 'all', type: 'html' } } };
    const body = `<h1>T</h1>${'<i>x</i>'.repeat(200_001)}`;
    expect(await answer({ parser: { key: 'large', schema }, page: { body } })).toMatchObject({
      data: { a: null, all: null },
      fields: [{ path: 'a' }, { path: 'all', error: 'the result has more than 200,000 values' }],
    });
  });

  it('previews an extraction that was stopped: the reason at every field', async () => {
    const hasty = createExtractionPool({ threads: 1, timeoutMs: 100 });
    const schema: ParserSchema = {
      fields: {
        title: 'h1',
        slow: { xpath: '//p[following::p[preceding::p[@y]/@x = @x]/@y = @y]', fields: { a: ':scope' } },
      },
    };
    const text = await extractAnswer(hasty, {
      parser: { key: 'slow', schema },
      page: { body: '<h1>T</h1>' + '<p x=1 y=2>'.repeat(3_000) },
      explain: false,
      preview: true,
      accountId: 'acc',
    });
    await hasty.close();
    const error = 'extraction took longer than 0.1 s and was stopped';
    expect(JSON.parse(text)).toMatchObject({
      data: { title: null, slow: null },
      fields: [
        { path: 'title', matched: false, error },
        { path: 'slow', error },
        { path: 'slow.a', error },
      ],
    });
  });

  it('throws without a preview, and for a page that can’t be read', async () => {
    await expect(answer({ preview: false })).rejects.toMatchObject({ code: 'extraction_failed' });
    await expect(answer({ page: { body: '<b>'.repeat(3_000) } })).rejects.toMatchObject({
      code: 'extraction_failed',
      options: { field: 'html' },
    });
  });
});
