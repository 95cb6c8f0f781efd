import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import { parseHtml, readPageText } from '@gleaner/html';

const PARSER = compileParser({ fields: { md: { css: 'body', type: 'markdown' } } });

function markdown(body: string): unknown {
  const result = extract(PARSER, { body: `<body>${body}`, url: 'https://a.example/dir/page' });
  return result.ok ? result.data['md'] : result.failure;
}

/** Checks that the whole takes no hundred times the CPU time of a tenth, as with quadratic growth. */
function expectLinear(write: (part: number) => void): void {
  const cpuOf = (part: number): number => {
    const before = process.threadCpuUsage();
    write(part);
    return process.threadCpuUsage(before).user;
  };
  cpuOf(10);
  // The floor takes away the noise of short times.
  expect(cpuOf(1)).toBeLessThan(Math.max(cpuOf(10), 50_000) * 40);
}

/** The plain text of a Markdown text, as a Markdown parser reads it. */
function textIn(node: { type: string; value?: string; alt?: string | null; children?: unknown[] }): string {
  if (node.type === 'break') return ' ';
  const inner = (node.children ?? []).map((child) => textIn(child as typeof node)).join('');
  const isInline = ['text', 'inlineCode', 'strong', 'emphasis', 'delete', 'link', 'image'].includes(
    node.type,
  );
  return `${node.value ?? ''}${inner}${isInline ? '' : ' '}`;
}

function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

describe('markdown', () => {
  it.each<[what: string, html: string, text: string | null]>([
    ['headings and paragraphs', '<h1>A</h1><p>b<p>c', '# A\n\nb\n\nc'],
    ['marks', '<p>a <b>b </b><i>c</i> <strong><b>d</b></strong>', 'a **b** *c* **d**'],
    ['marks beside words', '<p>a<b>(b)</b>c', 'a(b)c'],
    ['absolute links', '<p><a href="../x?a=1&amp;b=2">to  x</a>', '[to x](https://a.example/x?a=1&b=2)'],
    [
      'links with parentheses',
      '<p><a href="/x_(y)">a</a> <a href="/x)">b</a>',
      '[a](https://a.example/x_(y)) [b](https://a.example/x\\))',
    ],
    ['no script links', '<p><a href="javascript:x()">a</a>', 'a'],
    [
      'links around blocks',
      '<a href="/x"><h2>A</h2><p>b</p></a>',
      '## [A](https://a.example/x)\n\n[b](https://a.example/x)',
    ],
    ['images', '<p><img src="i.png" alt="An  image">', '![An image](https://a.example/dir/i.png)'],
    ['lists', '<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul>', '- a\n\n  3. b\n  4. c\n\n- d'],
    ['items of several paragraphs', '<ul><li><p>a</p><p>b</p><li>c</ul>', '- a\n\n  b\n\n- c'],
    ['two lists that meet', '<ul><li>a</ul><ul><li>b</ul>', '- a\n\n* b'],
    [
      'code',
      '<pre><code class="language-js">if (a) {\n  b`*`\n}</code></pre>',
      '```js\nif (a) {\n  b`*`\n}\n```',
    ],
    ['code in a line', '<p>a <code>b_`c`</code>', 'a `` b_`c` ``'],
    ['code with fences in it', '<pre>```\nx</pre>', '````\n```\nx\n````'],
    ['quotes', '<blockquote><p>a<p>b</blockquote>', '> a\n>\n> b'],
    ['line breaks', '<p>a<br>b', 'a  \nb'],
    ['marks in marks', '<p><b>a <i>b</i></b> <i><b>c</b> d</i>', '**a _b_** *__c__ d*'],
    ['links after exclamation marks', '<p>1<b>!</b><a href="/x">a</a>', '1\\![a](https://a.example/x)'],
    [
      'titles that say more',
      '<p><a href="/x" title="b">a</a> <a href="/x" title="a">a</a>',
      '[a](https://a.example/x "b") [a](https://a.example/x)',
    ],
    ['paragraphs in lists', '<ul><li><p>a</p><li><p>b</p></ul>', '- a\n\n- b'],
    ['rules', '<p>a<hr><p>b', 'a\n\n***\n\nb'],
    [
      'tables',
      '<table><tr><th>A<th>B|C<tr><td>1<td><a href="/x">x</a><br>y<tr><td colspan=2>z</table>',
      '| A | B\\|C |\n| --- | --- |\n| 1 | [x](https://a.example/x) y |\n| z |  |',
    ],
    ['tables that arrange the page', '<table><tr><td><h2>A</h2><td><ul><li>b</ul></table>', '## A\n\n- b'],
    ['terms', '<dl><dt>a<dd>b</dl>', '**a**\n\nb'],
    ['nothing that is not shown', '<p>a<script>x</script><i hidden>y</i><button>z</button>', 'a'],
    [
      'characters that mean something',
      '<p># a<p>1. b<p>- c<p>*d* _e_ f_g [h] &lt;b&gt; &amp;amp; `i`',
      '\\# a\n\n1\\. b\n\n\\- c\n\n\\*d\\* \\_e\\_ f_g \\[h\\] \\<b> &amp;amp; \\`i\\`',
    ],
    ['no tag out of two texts', '<p><b>&lt;</b>a<b>>.</b></p>', '\\<a>.'],
    [
      'struck text',
      '<p><del>12 €</del> <s>a <b>b</b></s> <b>c</b> <strike>~d</strike>',
      '~~12 €~~ ~~a **b**~~ **c** ~~\\~d~~',
    ],
    ['struck text in struck text', '<p><del>a <s>b</s></del><del>c</del>', '~~a bc~~'],
    ['tildes of a text', '<p>~5 km, a~b~ /~c ~~d~~', '~5 km, a\\~b\\~ /~c \\~\\~d\\~\\~'],
    [
      'raised digits',
      '<p>10<sup>6</sup> m<sup>2</sup> 10<sup>-3</sup> x<sup>n+1</sup> 20<sup>th</sup> a<sup><a href="#f">1</a></sup>',
      '10⁶ m² 10⁻³ xⁿ⁺¹ 20th a[¹](https://a.example/dir/page#f)',
    ],
    ['lowered digits', '<p>H<sub>2</sub>O 10<sub>2</sub> log<sub>2</sub>8', 'H2O 10₂ log₂8'],
    ['a raised number alone', '<p><sup>1</sup> a', '1 a'],
    [
      'neighbours of code',
      '<p><code>a</code><kbd>b</kbd> `<code>c</code>`<code>`</code>',
      '`ab` \\``c`\\``` ` ``',
    ],
    ['breaks in code', '<p><code>a<br>b</code>', '`a`  \n`b`'],
    ['breaks in blocks of code', '<pre>a<br>  b<br><br>c</pre>', '```\na\n  b\n\nc\n```'],
    ['lines of code in elements', '<pre><div>a</div><div>  b</div></pre>', '```\na\n  b\n```'],
    [
      'text directly in lists',
      '<ul>a <a href="/x">b</a><li>c</li>d</ul>',
      '- a [b](https://a.example/x)\n\n- c\n\n  d',
    ],
    ['a list directly in a list', '<ul><li>a<ul><li>b</ul>c</ul>', '- a\n\n  - b\n\n  c'],
    ['lists without items', '<ul>a</ul>', '- a'],
    [
      'boxes',
      '<ul><li><input type=checkbox checked> a<li><label><input type=checkbox>b</label><li>c <input type=checkbox></ul>',
      '- [x] a\n- [ ] b\n- c',
    ],
    ['numbers of items', '<ol><li>a<li value=7>b<li>c</ol>', '1. a\n7. b\n8. c'],
    [
      'lists that count down',
      '<ol reversed><li>a<li>b</ol><p>c<ol reversed start=10><li>d<li>e</ol>',
      '2. a\n1. b\n\nc\n\n10. d\n9. e',
    ],
    ['numbers that Markdown lacks', '<ol start=-3><li>a<li>b</ol>', '1. a\n2. b'],
    ['captions', '<table><caption>A</caption><tr><td>b</table>', 'A\n\nb'],
    [
      'lists in a table',
      '<table><tr><td>Mon<td><ul><li>10-12<li>14-20</ul><tr><td>Tue<td><ul><li>Closed</ul></table>',
      '| Mon | 10-12 14-20 |\n| --- | --- |\n| Tue | Closed |',
    ],
    [
      'anything in a table with names',
      '<table><tr><th>A<th>B<tr><td><h4>a</h4><p>b<p>c<td><blockquote>d</blockquote><pre>e\nf|g</pre><tr><td><table><tr><td>h<td>i</table><td><ol><li>j<li>k</ol></table>',
      '| A | B |\n| --- | --- |\n| a b c | d `e f\\|g` |\n| h i | j k |',
    ],
    [
      'a table in a table',
      '<table><tr><td>a<td><table><tr><td>b<td>c</table><tr><td>d<td>e</table>',
      '| a | b c |\n| --- | --- |\n| d | e |',
    ],
    [
      'tables that arrange tables',
      '<table><tr><td><table><tr><td>a<td>b</table><td>c</table>',
      '| a | b |\n| --- | --- |\n\nc',
    ],
    [
      'two rows of heads, and spans of a group',
      '<table><thead><tr><th rowspan=2>N<th colspan=2>Size<tr><th>w<th>h</thead><tbody><tr><td rowspan=0>a<td>1<td>2<tr><td>3<td>4</tbody><tbody><tr><td rowspan=9>b<td>5<td>6</tbody><tfoot><tr><td>c<td>7<td>8</table>',
      '| N | Size w | Size h |\n| --- | --- | --- |\n| a | 1 | 2 |\n|  | 3 | 4 |\n| b | 5 | 6 |\n| c | 7 | 8 |',
    ],
    ['nothing', '<p> </p>', null],
  ])('writes %s', (_what, html, text) => {
    expect(markdown(html)).toBe(text);
  });

  it('keeps every word of a text with any characters', () => {
    const text = fc.stringMatching(/^[-a-c#*_`[\]()<>!&;|~=+.:\\1 ]{1,25}$/);
    const inline = fc.oneof(
      text,
      fc
        .tuple(fc.constantFrom('b', 'i', 'span', 'a href="/x"'), text)
        .map(([tag, inner]) => [tag, inner] as const),
    );
    const escape = (raw: string): string => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const block = fc
      .tuple(
        fc.constantFrom('p', 'h2', 'li', 'blockquote', 'div'),
        fc.array(inline, { minLength: 1, maxLength: 4 }),
      )
      .map(
        ([tag, parts]) =>
          `<${tag}>${parts.map((part) => (typeof part === 'string' ? escape(part) : `<${part[0]}>${escape(part[1])}</${part[0].split(' ')[0] ?? ''}>`)).join('')}</${tag}>`,
      );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 3 }), (blocks) => {
        const html = blocks.join('');
        const written = markdown(html);
        const read = words(textIn(fromMarkdown(typeof written === 'string' ? written : '')));
        expect(read).toBe(words(readPageText(parseHtml(html))));
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes linear time on a deep page', () => {
    expectLinear((part) => {
      for (const tag of ['div', 'ul><li', 'blockquote', 'b', 'table><td', 'a href=x']) {
        markdown(`${`<${tag}>`.repeat(400)}${'<p>a <b>b</b></p>'.repeat(5_000 / part)}`);
      }
    });
  });

  it('takes linear time on a long run of text in pieces', () => {
    const pieces = ['<span>a b</span> ', '<time>1 May</time> on ', 'a<!-- -->', '<em>a</em> ', 'a<br>'];
    expectLinear((part) => {
      for (const piece of pieces) markdown(piece.repeat(50_000 / part));
    });
  });
});
