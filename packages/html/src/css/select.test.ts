import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findTestData } from '../../../../test/test-data.mjs';
import { textOf } from '../tree/document.ts';
import { parseHtml } from '../tree/parse.ts';
import { attributeOf } from '../tree/tree.ts';
import { compileSelector } from './compile.ts';
import { selectElements } from './select.ts';

const PAGES = findTestData('pages');

const PAGE = `<!doctype html><html lang=en-GB><body><div id=main class="box Wide"><h1>Title</h1><p class=intro>One</p>
<p>Two <a href="/x" rel=Next>x</a></p><ul><li>1</li><li class=on>2</li><li>3</li><li>4</li></ul><span></span><span> </span>
<span><!-- c --></span><form><input type=CheckBox checked><input disabled><select><option selected>o</select></form>
<svg viewBox="0 0 1 1"><linearGradient id=g /><a xlink:href=y></a></svg><div><section><p class=deep>Deep</p></section></div></div>
<div id=more class="box"><h2>Other</h2><p>Three</p><h2>Last</h2></div><template><p class=intro>hidden</p></template></body></html>`;

function names(selector: string, html = PAGE): string[] {
  const document = parseHtml(html);
  return selectElements(compileSelector(selector), document, null).map(
    (element) => attributeOf(element, 'id') ?? (textOf(document, element).trim() || element.localName),
  );
}

describe('selectElements', () => {
  it.each<[string, string[]]>([
    ['p', ['One', 'Two x', 'Deep', 'Three']],
    ['P.intro', ['One']],
    ['.wide', []],
    ['#main > p', ['One', 'Two x']],
    ['h1 + p', ['One']],
    ['h1 ~ p', ['One', 'Two x']],
    ['div div p, h1', ['Title', 'Deep']],
    ['section p.deep', ['Deep']],
    ['li:first-child', ['1']],
    ['li:last-child', ['4']],
    ['li:nth-child(2n+1)', ['1', '3']],
    ['li:nth-child(-n+2)', ['1', '2']],
    ['li:nth-last-child(2)', ['3']],
    ['h2:nth-of-type(2)', ['Last']],
    ['p:only-of-type', ['Deep', 'Three']],
    ['span:empty', ['span', 'span']],
    ['[rel=next]', ['x']],
    ['[href^="/"]', ['x']],
    ['[class~=box] > h2', ['Other', 'Last']],
    ['[class*="WIDE" i] > h1', ['Title']],
    ['li:not(.on, :last-child)', ['1', '3']],
    [':is(h1, h2):not(:last-child)', ['Title', 'Other']],
    ['div:has(> h2) > p', ['Three']],
    ['div:has(section p) > h1', ['Title']],
    ['li:has(+ .on)', ['1']],
    ['li:has(~ .on)', ['1']],
    ['p:has(a:not(.x))', ['Two x']],
    ['div:has(p:has(a)) > h1', ['Title']],
    ['p:contains("Two")', ['Two x']],
    ['p:icontains("two")', ['Two x']],
    ['linearGradient', ['g']],
    ['lineargradient', []],
    ['[viewBox]', ['svg']],
    ['a[href]', ['x']],
    ['input:checked, option:checked', ['input', 'o']],
    [':disabled', ['input']],
    ['h1:lang(en)', ['Title']],
    [':root > body > div', ['main', 'more']],
    ['template p', []],
    ['* > li.on', ['2']],
    [String.raw`#\31 x, [id="#1"], p:contains(".5x"), p:icontains(#1)`, []],
  ])('%s', (selector, expected) => {
    expect(names(selector)).toEqual(expected);
  });

  it('ignores the case of classes and ids in quirks mode only', () => {
    expect(names('.WIDE#MAIN', PAGE.replace('<!doctype html>', ''))).toEqual(['main']);
    expect(names('.WIDE#MAIN')).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['p', ['a', 'b']],
    ['> p', ['a']],
    ['div p', ['b']],
    ['section p', []],
    [':scope > p', ['a']],
    ['+ p', ['next']],
    ['~ p', ['next', 'later']],
    [':scope', ['inner']],
    ['+ p, > p', ['a', 'next']],
  ])('reads %s relative to the scope', (selector, expected) => {
    const document = parseHtml(
      `<section><div id=inner class=s><p id=a></p><div><p id=b></p></div></div><p id=next></p><p id=later></p></section>`,
    );
    const [scope] = selectElements(compileSelector('.s'), document, null);
    const found = selectElements(compileSelector(selector), document, scope ?? null);
    expect(found.map((element) => attributeOf(element, 'id'))).toEqual(expected);
  });

  it.each([
    '.none ~ p ~ p ~ p ~ p',
    'p:has(~ p.none)',
    'div:has(div:has(.none))',
    'p:nth-of-type(2n+1)',
    '.none * * * * *',
    'p:contains("zz")',
    ':not(:has(.none)) ~ p:nth-last-of-type(3n)',
  ])('%s takes time in proportion to the page', (selector) => {
    const list = compileSelector(selector);
    const timeOf = (count: number): number => {
      const document = parseHtml('<div>'.repeat(400) + '<p>a</p>'.repeat(count));
      const before = process.threadCpuUsage();
      selectElements(list, document, null);
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    timeOf(2_000);
    // Quadratic growth would be 64 times; the floor takes away the noise of short times.
    expect(timeOf(80_000)).toBeLessThan(Math.max(timeOf(10_000), 20_000) * 24);
  });

  it.each<[string, string, number | undefined]>([
    ['a[', 'ends before the selector does', 3],
    ['a##', 'is not a CSS selector from "##" on', 2],
    ['a,,b', 'is not a CSS selector: empty sub-selector', 2],
    ['div:has(:has(:has(a)))', ':has() nests deeper than 2 levels', 4],
    ['p::before', '::before is not supported; use attr or selector@attribute', 2],
    ['a:first', ':first is not supported', 2],
    ['li:nth-child(x)', ':nth-child needs an argument like 2, odd or 3n+1', 3],
    ['p > #1', 'a name can’t start with a digit; write [id="1"] or #\\31', 5],
    ['p:not(.2x)', 'a name can’t start with a digit; write [id="1"] or #\\31', 7],
    ['a >', 'a combinator needs a selector on its right', undefined],
    ['svg|a', 'namespaces are not supported', 4],
    ['a:has(:scope)', ':scope can only be used outside other pseudo-classes', 7],
    [Array.from({ length: 41 }, () => 'a').join(' '), 'more than 40 parts', undefined],
    ['a ~ '.repeat(9) + 'a', 'more than 8 sibling combinators', undefined],
  ])('refuses %s', (selector, reason, column) => {
    expect(() => compileSelector(selector)).toThrow(expect.objectContaining({ message: reason, column }));
  });

  it.skipIf(PAGES.isMissing)(
    'gives the same answer as Chromium for at least 99.9 % of selectors on real pages',
    { meta: PAGES.meta },
    () => {
      const oracle = JSON.parse(readFileSync(join(PAGES.path, 'oracle.json'), 'utf8')) as {
        selectors: Record<string, [string, string]>;
        pages: Record<string, Record<string, number | { sha1: string }>>;
      };
      let right = 0;
      let answers = 0;
      for (const [page, expected] of Object.entries(oracle.pages)) {
        const document = parseHtml(readFileSync(join(PAGES.path, page), 'utf8'));
        for (const [name, [selector, what]] of Object.entries(oracle.selectors)) {
          const found = selectElements(compileSelector(selector), document, null);
          const texts = found.map((element) =>
            (what === 'text' ? textOf(document, element) : (attributeOf(element, what) ?? ''))
              .replaceAll(/[\s\u00a0]+/g, ' ')
              .trim(),
          );
          const answer = expected[name];
          answers += 1;
          const sha1 = createHash('sha1').update(JSON.stringify(texts)).digest('hex');
          if (typeof answer === 'number' ? found.length === answer : sha1 === answer?.sha1) right += 1;
        }
      }
      expect(answers).toBeGreaterThan(1_000);
      expect(right / answers).toBeGreaterThanOrEqual(0.999);
    },
  );
});
