import { describe, expect, it } from 'vitest';
import { extract, compileParser } from '@gleaner/extractors';
import { kindOf } from './kind.ts';
import { suggestSchema } from '../suggest.ts';
import type { Examples } from '../types.ts';

function matches(values: readonly string[], text: string): boolean | undefined {
  const kind = kindOf(values);
  return kind === undefined ? undefined : new RegExp(`^${kind.pattern}$`, 'u').test(text);
}

describe('kinds of values', () => {
  it.each([
    ['$611.81', '$39', true],
    ['$611.81', '611 pages', false],
    ['205 lbs', '98 lbs', true],
    ['205 lbs', '98 hours', false],
    ['6-5', '5-11', true],
    ['6-5', '5/11/2010', false],
    ['June 1, 2010', 'December 14, 1998', true],
    ['June 1, 2010', 'Hardcover', false],
    ['www.acu.edu', 'http://adelphi.edu/home', true],
    ['www.acu.edu', 'Semester', false],
    ['Boston Celtics', 'Ocean’s Eleven (2001)', true],
    ['Boston Celtics', '$671.89', false],
    ['12 Oak St', '(870) 508-1235', false],
  ])('of %j is that of %j: %s', (example, other, isSame) => {
    expect(matches([example], other)).toBe(isSame);
  });

  it('are unknown for values that differ too much', () => {
    expect(kindOf(['1 a', '1-a', '1/a', '1.a-'])).toBeUndefined();
    expect(kindOf([])).toBeUndefined();
  });
});

function learned(
  pages: readonly { readonly html: string; readonly examples: Examples }[],
  html: string,
): unknown {
  const { schema } = suggestSchema(pages.map((page) => ({ body: page.html, examples: page.examples })));
  if (schema === null) return undefined;
  const extraction = extract(compileParser(schema), { body: html });
  return extraction.ok ? extraction.data : extraction;
}

function listed(items: readonly string[]): string {
  return `<html><body><h1>Lamp</h1><ul class="summary">${items.map((item) => `<li>${item}</li>`).join('')}</ul></body></html>`;
}

describe('values without labels', () => {
  it('are found by their kind where items come and go before them', () => {
    const pages = [
      { html: listed(['In stock', '$611.81', '205 lbs']), examples: { price: '$611.81', weight: '205 lbs' } },
    ];
    expect(learned(pages, listed(['New', 'In stock', '98 lbs', '$39.90']))).toEqual({
      price: '$39.90',
      weight: '98 lbs',
    });
  });

  it('are null where only another kind stands at their place', () => {
    const pages = [{ html: listed(['Acme', 'In stock']), examples: { brand: 'Acme' } }];
    expect(learned(pages, listed(['$39.90', 'In stock']))).toEqual({ brand: null });
  });

  it('are cut between the constant words of a sentence', () => {
    const sentence = (text: string): string => `<html><body><p class="lead">${text}</p></body></html>`;
    const pages = [
      {
        html: sentence('seen on May 2 at Khan LLC in Flint, posted today'),
        examples: { company: 'Khan LLC', city: 'Flint' },
      },
    ];
    expect(
      learned(pages, sentence('seen by Ida Moore at Stone Brothers Inc. in Ames, posted today')),
    ).toEqual({
      company: 'Stone Brothers Inc.',
      city: 'Ames',
    });
  });
});

describe('the text after a label', () => {
  it('is not the next label where the value is missing', () => {
    const facts = (rows: readonly (readonly [string, string])[]): string =>
      `<html><body><h1>Ray</h1><p>${rows.map(([label, value]) => `<b>${label}</b> ${value}<br>`).join('')}</p></body></html>`;
    const pages = [
      {
        html: facts([
          ['Club', 'Celtics'],
          ['College', 'Akron'],
          ['Draft', 'First'],
        ]),
        examples: { club: 'Celtics' },
      },
    ];
    expect(
      learned(
        pages,
        facts([
          ['Club', ''],
          ['College', 'Akron'],
          ['Draft', 'Second'],
        ]),
      ),
    ).toEqual({
      club: null,
    });
  });
});
