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
  const isInline = ['text', 'inlineCode', 'strong', 'emphasis', 'link', 'image'].includes(node.type);
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
