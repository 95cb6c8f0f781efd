import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import type { Extraction } from '../extraction.ts';
import { extract } from './extract.ts';

const LIST = compileParser({ fields: { n: { css: 'li', take: 'all', type: 'number' } } });
const ROWS = compileParser({
  fields: { rows: { css: 'li', take: 'all', fields: { n: { css: 'b', type: 'number' } } } },
});
const PICKY = compileParser({
  fields: {
    rows: {
      css: 'li',
      take: 'all',
      fields: { n: { css: 'b', type: 'number', assert: { min: 0, on_fail: 'drop_row' }, required: true } },
    },
  },
});

function pageOf(texts: readonly string[]): string {
  return `<ul>${texts.map((text) => `<li><b>${text}</b>`).join('')}</ul>`;
}

function read(texts: readonly string[], options = {}): Extraction {
  return extract(ROWS, { body: pageOf(texts) }, options);
}

function numbersOf(texts: readonly string[]): unknown {
  const extraction = read(texts);
  return extraction.ok && (extraction.data.rows as { n: number | null }[]).map(({ n }) => n);
}

describe('the dates of a column', () => {
  const parser = compileParser({ fields: { d: { css: 'b', take: 'all', type: 'date' } } });

  it('have the order of the certain ones', () => {
    expect(extract(parser, { body: pageOf(['03/04/2026', '25/04/2026']) })).toMatchObject({
      data: { d: ['2026-04-03', '2026-04-25'] },
    });
    expect(extract(parser, { body: pageOf(['03/04/2026']) }).ok).toBe(false);
  });

  it('count from the time of fetching', () => {
    const page = { body: pageOf(['yesterday']), fetchedAt: '2026-03-10T12:00:00.000Z' };
    expect(extract(parser, page)).toMatchObject({ data: { d: ['2026-03-09'] } });
  });
});

describe('the numbers of a column', () => {
  it('are settled by an unambiguous one among them', () => {
    expect(numbersOf(['1.234', '12.345,67'])).toEqual([1234, 12_345.67]);
    expect(numbersOf(['1,234', '1,234.56'])).toEqual([1234, 1234.56]);
    const notes = (texts: readonly string[]): unknown[] | undefined =>
      read(texts, { explain: true })
        .explain?.flatMap(({ sources }) => sources)
        .flatMap(({ note }) => note ?? []);
    expect(notes(['1.234'])).toHaveLength(1);
    expect(notes(['1.234', '1,5'])).toEqual([]);
  });

  it('are null with the reason where the others prove the contrary', () => {
    expect(numbersOf(['1.234', '12.50'])).toEqual([null, 12.5]);
    expect(numbersOf(['1.299 €', '19.95 €'])).toEqual([null, 19.95]);
    const { fields, explain } = read(['1.234', '12.50'], { explain: true });
    expect(fields.find(({ path }) => path === 'rows.n')?.error).toMatch(/^“1.234” could be two numbers/);
    expect(explain?.find(({ path }) => path === 'rows[0].n')?.reason).toMatch(/give a locale$/);
    expect(extract(LIST, { body: pageOf(['1.234', '12.50']) })).toMatchObject({ data: { n: [12.5] } });
    expect(extract(PICKY, { body: pageOf(['1.234', '12.50']) })).toMatchObject({
      failure: {
        fields: [{ path: 'rows[0].n', reason: expect.stringMatching(/^required, but “1.234”/) as string }],
      },
    });
  });

  it('stay as they are where the others contradict each other, or currency or locale say it', () => {
    expect(numbersOf(['1.234', '12.50', '12,50'])).toEqual([1234, 12.5, 12.5]);
    expect(numbersOf(['Rp 31.500', '$19.95'])).toEqual([31_500, 19.95]);
    const german = compileParser({ fields: { n: { css: 'li', take: 'all', type: 'number', locale: 'de' } } });
    expect(extract(german, { body: pageOf(['1.234', '12.50']) })).toMatchObject({
      data: { n: [1234, 12.5] },
    });
  });

  it('are not settled by another field, nor by data', () => {
    const parser = compileParser({
      fields: {
        a: { css: 'li', type: 'number' },
        b: { css: 'i', type: 'number' },
        c: { css: 'i@x', type: 'number' },
      },
    });
    const body = '<li>1.234</li><i x=1.234>12.50</i>';
    expect(extract(parser, { body })).toMatchObject({ data: { a: 1234, b: 12.5, c: 1.234 } });
  });
});
