import type { Field } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from './extract.ts';

const PAGE =
  '<p class=bad>Call us</p><p class=price>1.234,50 €</p><ul><li>1<li>2</ul><table><tr><td>x</table>';

describe('explain', () => {
  it('marks a number whose separator nothing explains', () => {
    const parser = compileParser({ fields: { f: { css: 'p', type: 'number' } } });
    const notes = ['<p>1.234', '<html lang=de><p>1.234', '<p>1.234 €'].map(
      (body) => extract(parser, { body }, { explain: true }).explain?.[0]?.sources[0]?.note,
    );
    expect(notes).toEqual([expect.stringContaining('“1.234” is ambiguous'), undefined, undefined]);
  });

  it('reads text by the language of the page, but not attributes and data', () => {
    const body =
      '<html lang=de><p data-n=1.234>1.234<script type=application/ld+json>{"n": "1.234"}</script>';
    const parser = compileParser({
      fields: {
        text: { css: 'p', type: 'number' },
        attribute: { css: 'p@data-n', type: 'number' },
        data: { jsonld: '$[0].n', type: 'number' },
      },
    });
    expect(extract(parser, { body }).data).toEqual({ text: 1234, attribute: 1.234, data: 1.234 });
  });

  it('reports each source tried, its matches and each step from match to value', () => {
    const parser = compileParser({
      fields: { f: { any: ['.none', '.bad', '.price'], type: 'number', transform: ['lower'] } },
    });
    const result = extract(parser, { body: PAGE }, { explain: true });
    expect(result.explain).toEqual([
      {
        path: 'f',
        type: 'number',
        sources: [
          { kind: 'css', selector: '.none', matched: 0, raw: [], steps: [], won: false },
          {
            kind: 'css',
            selector: '.bad',
            matched: 1,
            raw: ['Call us'],
            steps: [
              { step: 'trim', value: 'Call us' },
              { step: 'lower', value: 'call us' },
            ],
            reason: '“call us” is not a number',
            won: false,
          },
          {
            kind: 'css',
            selector: '.price',
            matched: 1,
            raw: ['1.234,50 €'],
            steps: [
              { step: 'trim', value: '1.234,50 €' },
              { step: 'lower', value: '1.234,50 €' },
            ],
            value: 1234.5,
            won: true,
          },
        ],
      },
    ]);
  });

  it('does not change the data', () => {
    const parser = compileParser({
      fields: { a: { css: 'li' }, b: { css: 'li', take: 'all' }, c: { css: 'tr', fields: { d: 'td' } } },
    });
    const [plain, explained] = [false, true].map((explain) => extract(parser, { body: PAGE }, { explain }));
    expect(explained?.ok && explained.data).toEqual(plain?.ok && plain.data);
    expect(explained?.fields).toEqual(plain?.fields);
  });

  it('explains only the first rows of a list', () => {
    const parser = compileParser({ fields: { r: { css: 'i', take: 'all', fields: { t: ':scope' } } } });
    const { explain } = extract(parser, { body: '<i>x</i>'.repeat(50) }, { explain: true });
    expect(explain?.map(({ path }) => path)).toEqual(['r', 'r[0].t', 'r[1].t', 'r[2].t']);
  });

  it('reports why a value is null or a default', () => {
    const reasonOf = (field: Field): string | undefined =>
      extract(compileParser({ fields: { f: field } }), { body: PAGE }, { explain: true }).explain?.[0]
        ?.reason;
    expect(reasonOf('.price')).toBeUndefined();
    expect(reasonOf('.none')).toBe('nothing matched');
    expect(reasonOf('p@title')).toBe('the match has no value');
    expect(reasonOf({ css: '.none', default: 'd' })).toBe('nothing matched; the default is used');
    expect(reasonOf({ css: '.bad', type: 'number', assert: { on_fail: 'null' } })).toBe(
      '“Call us” is not a number',
    );
    expect(reasonOf({ css: '.none', take: 'all' })).toBe('nothing matched');
  });
});
