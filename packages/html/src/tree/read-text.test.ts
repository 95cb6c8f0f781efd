import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { elementsById, elementsByTag } from './indexes.ts';
import { parseHtml } from './parse.ts';
import { readOwnTextOf, readPageText, readTextOf } from './read-text.ts';

/** The text of `#t`, read both ways: from the element, and from the map of the whole page. */
function textsOf(body: string): string[] {
  const document = parseHtml(`<!doctype html><body>${body}</body><u></u>`);
  const [element] = elementsById(document, 't');
  if (element === undefined) throw new Error('the test has no #t');
  const alone = readTextOf(document, element);
  const large = parseHtml(`<!doctype html><body>${body}</body>${'<u></u>'.repeat(20)}`);
  readPageText(large);
  const [same] = elementsById(large, 't');
  return [alone, large.readMap !== null && same !== undefined ? readTextOf(large, same) : ''];
}

describe('readTextOf', () => {
  it.each<[what: string, html: string, text: string]>([
    ['ends a line at <br>', '<p id=t>a<br>b', 'a\nb'],
    ['keeps empty lines of several <br>', '<p id=t>a<br><br>b', 'a\n\nb'],
    ['ends lines around blocks', '<div id=t>a<div>b</div>c</div>', 'a\nb\nc'],
    ['puts an empty line between paragraphs', '<div id=t><p>a<p>b</div>', 'a\n\nb'],
    ['counts the <br> that ends a block once', '<div id=t><div>a<br></div><div>b</div></div>', 'a\nb'],
    ['puts nothing between inline elements', '<p id=t><b>a</b><i>b</i>', 'ab'],
    ['collapses white space', '<p id=t> a \n\t b <b> c </b> d ', 'a b c d'],
    ['keeps no-break spaces', '<p id=t>a&nbsp; b', 'a\u00a0 b'],
    ['keeps the white space of <pre>', '<pre id=t>  a\n\n  b\n</pre>', '  a\n\n  b'],
    ['keeps white space inside elements of <pre>', '<pre><code id=t>  a\n  b</code></pre>', '  a\n  b'],
    [
      'separates cells by tabs and rows by line ends',
      '<table id=t><tr><td>a<td>b<tr><td>c<td>d</table>',
      'a\tb\nc\td',
    ],
    ['puts list items on lines', '<ul id=t><li>a<li>b</ul>', 'a\nb'],
    [
      'leaves out elements that browsers never show',
      '<div id=t>a<script>x</script><style>y</style><template>z</template><noscript>n</noscript><textarea>f</textarea>b</div>',
      'ab',
    ],
    [
      'leaves out hidden parts',
      '<div id=t>a<p hidden>x</p><p style="color:red; DISPLAY : none">y</p><dialog>z</dialog><i hidden=until-found>b</i></div>',
      'ab',
    ],
    ['reads a hidden element as if it were shown', '<div id=t hidden>a<br>b <i hidden>x</i></div>', 'a\nb'],
    ['reads what is inside a hidden element', '<div hidden><div id=t>a<div>b</div></div></div>', 'a\nb'],
    ['reads inside <noscript>', '<noscript><p id=t>a  b</noscript>', 'a b'],
    ['gives a script as it stands', '<script id=t>a  <b>\n</script>', 'a  <b>\n'],
    ['is empty without text', '<div id=t><br><i> </i></div>', ''],
    ['starts and ends with text', '<div>x <b id=t> a </b> y</div>', 'a'],
  ])('%s', (_what, html, text) => {
    expect(textsOf(html)).toEqual([text, text]);
  });

  const leaf = fc.constantFrom(
    'a',
    ' ',
    ' b\n',
    '\t',
    'c  d',
    '<br>',
    '<img>',
    '<script>s</script>',
    '<!-- -->',
    '&nbsp;',
  );
  const tree = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc
        .tuple(
          fc.constantFrom(
            'div',
            'p',
            'b',
            'span',
            'ul',
            'li',
            'table',
            'td',
            'i hidden',
            'noscript',
            'section',
            'a',
          ),
          fc.array(tie('node'), { maxLength: 4 }),
        )
        .map(([tag, inside]) => `<${tag}>${inside.join('')}</${tag.split(' ')[0] ?? ''}>`),
    ),
  })).node;

  it('reads the same text from an element and from the map of the whole page', () => {
    fc.assert(
      fc.property(tree, (html) => {
        const alone = parseHtml(html);
        const texts = alone.elements.map((element) => {
          alone.readMap = null;
          return readTextOf(alone, element);
        });
        const mapped = parseHtml(`${html}${'<b></b>'.repeat(20)}`);
        readPageText(mapped);
        expect(mapped.readMap).not.toBeNull();
        expect(
          alone.elements
            .slice(2)
            .map((element) => readTextOf(mapped, mapped.elements[element.order] ?? element)),
        ).toEqual(texts.slice(2));
      }),
      { numRuns: 500 },
    );
  });

  it('reads every element of a deep page in linear time', () => {
    const deep = parseHtml(
      `${'<div>'.repeat(1_500)}${'<p><b></b> <i hidden><u></u></i></p>'.repeat(100_000)}`,
    );
    const before = process.threadCpuUsage();
    let length = 0;
    for (const element of deep.elements) length += readTextOf(deep, element).length;
    expect(length).toBe(0);
    if (inject('isLong')) expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

describe('readOwnTextOf', () => {
  it.each([
    ['<p>a <b>x</b> c', 'a c'],
    ['<p>a<br>b', 'a\nb'],
    ['<div>a<div>x</div>b</div>', 'a\nb'],
    ['<p>5<i hidden>x</i>0', '50'],
    ['<pre> a\n b', ' a\n b'],
  ])('%s', (html, text) => {
    const document = parseHtml(html);
    const [element] = elementsByTag(document, /^<(\w+)/.exec(html)?.[1] ?? '');
    expect(element && readOwnTextOf(document, element)).toBe(text);
  });
});
