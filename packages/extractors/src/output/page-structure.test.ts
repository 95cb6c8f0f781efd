import { parseHtml } from '@gleaner/html';
import { describe, expect, it } from 'vitest';
import { structureOf } from './page-structure.ts';

/** A page of an article with some related ones. */
function articlePage(id: number, related: number, prefix = ''): string {
  const links = Array.from(
    { length: related },
    (_, at) => `<li class="${prefix}related link-${at}"><a href="/${at}">${at}</a></li>`,
  ).join('');
  return `<body class="${prefix}article post-${id}"><header class="${prefix}head"><nav><a>Home</a></nav></header>
    <main class="${prefix}main"><h1 class="${prefix}title">${id}</h1><p class="${prefix}lead">Lead</p><p>Text</p>
    <figure><img></figure><section class="${prefix}more"><ul>${links}</ul></section></main><footer><small>c</small></footer>`;
}

function structure(page: string): number[] {
  return structureOf(parseHtml(page));
}

/** The share of equal values. */
function likeness(a: string, b: string): number {
  const other = structure(b);
  return structure(a).filter((value, place) => value === other[place]).length / other.length;
}

describe('the structure of a page', () => {
  it('is the same for other texts, numbers in class names, and numbers of rows', () => {
    expect(structure(articlePage(1, 3))).toEqual(structure(articlePage(4711, 30)));
  });

  it('is alike after a small change, and not after a redesign', () => {
    const before = articlePage(1, 3);
    expect(likeness(before, before.replace('class="lead"', 'class="intro"'))).toBeGreaterThan(0.7);
    expect(likeness(before, articlePage(1, 3, 'x-'))).toBeLessThan(0.7);
    expect(likeness(before, '<table><tr><td>1</td></tr></table>')).toBeLessThan(0.4);
  });

  it('has 32 numbers for any page', () => {
    for (const page of ['', '<p>', 'text', articlePage(1, 6_000)]) {
      const values = structure(page);
      expect(values).toHaveLength(32);
      expect(values.every((value) => Number.isInteger(value) && value >= 0 && value < 65_536)).toBe(true);
    }
  });
});
