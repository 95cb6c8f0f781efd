import { describe, expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';

const PARSER = compileParser({ fields: { content: { page: 'markdown' } } });

function contentOf(body: string): string {
  const html = `<!doctype html><html><head><title>The river – News</title></head><body>${body}</body></html>`;
  const result = extract(PARSER, { body: html, url: 'https://a.example/' });
  const content = result.ok ? result.data['content'] : undefined;
  return typeof content === 'string' ? content : '';
}

const NAVIGATION = `<header><nav class="menu"><ul>${['Home', 'World', 'Business', 'Sport', 'Contact']
  .map((name) => `<li><a href="/${name}">${name}</a></li>`)
  .join('')}</ul></nav></header>`;
const FOOTER =
  '<footer class="footer"><p>© 2026 The News. All rights reserved.</p><a href="/privacy">Privacy policy</a></footer>';
const PARAGRAPHS = ['first', 'second', 'third', 'fourth']
  .map(
    (word) =>
      `<p>The ${word} bridge over the river was built in spring, and the engineers who planned it say that it will carry trains, cars and people for a hundred years.</p>`,
  )
  .join('');
const ARTICLE = `<main><article><h1>The river</h1>${PARAGRAPHS}</article></main>`;

describe('main content', () => {
  it('keeps an article, and neither navigation nor footer', () => {
    const content = contentOf(`${NAVIGATION}${ARTICLE}${FOOTER}`);
    expect(content).toMatch(/The first bridge[^]*The fourth bridge/);
    expect(content).not.toMatch(/Sport|rights reserved|Privacy/);
  });

  it('gives the same as HTML, without scripts, styles and comments', () => {
    const parser = compileParser({ fields: { content: { page: 'main_html' } } });
    const extra = '<script>a("<p>")</script><style>p{}</style><!-- no -->';
    const body = `<html><body>${NAVIGATION}<main><article><h1>The river</h1>${extra}${PARAGRAPHS}</article></main>${FOOTER}</body></html>`;
    const result = extract(parser, { body, url: 'https://a.example/' });
    expect(result.ok && result.data['content']).toBe(
      `<body><main><article><h1>The river</h1>${PARAGRAPHS}</article></main></body>`,
    );
  });

  it('reads what stands in for a page that scripts would fill', () => {
    for (const [start, end] of [
      ['<noscript>', '</noscript>'],
      ['<div hidden id="S:0">', '</div>'],
    ]) {
      const content = contentOf(`<div id="app">Loading</div>${start}${NAVIGATION}${ARTICLE}${FOOTER}${end}`);
      expect(content).toMatch(/The first bridge[^]*The fourth bridge/);
    }
  });

  it('keeps the items of a list, with their links and prices', () => {
    const items = Array.from(
      { length: 20 },
      (_, index) =>
        `<li class="product-card"><a href="/p/${index}"><img src="/${index}.jpg" alt=""><h3 class="product-title">Chair number ${index}</h3></a><p class="price">€ ${index + 20}.00</p></li>`,
    );
    const content = contentOf(
      `${NAVIGATION}<main><h1>Chairs</h1><ul class="product-grid">${items.join('')}</ul></main>${FOOTER}`,
    );
    expect(content).toMatch(/Chair number 0[^]*€ 20\.00[^]*Chair number 19[^]*€ 39\.00/);
    expect(content).not.toMatch(/Sport|rights reserved/);
  });

  it('keeps what tabs and accordions hide, and not what dialogs hide', () => {
    const tabs = ['Description', 'Materials', 'Care']
      .map(
        (name, index) =>
          `<div role="tabpanel" id="tab-${index}"${index === 0 ? '' : ' style="display: none"'}><h2>${name}</h2><p>${name} of this chair: it is made of oak that grew in the north, and each of its parts is cut, dried and joined by hand in one workshop.</p></div>`,
      )
      .join('');
    const dialog =
      '<div id="cookie-consent" class="modal" hidden><h2>Privacy preferences</h2><p>We and our partners use cookies to measure the use of this website and to show you advertisements. You may change your consent at any time.</p></div>';
    const content = contentOf(
      `${NAVIGATION}<main class="product"><h1>A chair of oak</h1><div class="tabs">${tabs}</div></main>${FOOTER}${dialog}`,
    );
    expect(content).toMatch(/Description of this chair[^]*Materials of this chair[^]*Care of this chair/);
    expect(content).not.toMatch(/cookies|Privacy/);
  });

  it('keeps headings that are buttons', () => {
    const parts = ['Who', 'Why', 'How', 'When'].map(
      (word) =>
        `<h3><button aria-expanded="false">${word} built the bridges over the river?</button></h3><div>${PARAGRAPHS}</div>`,
    );
    const content = contentOf(
      `${NAVIGATION}<main><article><h1>The river</h1>${PARAGRAPHS}${parts.join('')}</article></main>${FOOTER}`,
    );
    expect(content).toContain('### Why built the bridges over the river?');
  });

  it('keeps text beside a box that it leaves out, and leaves out text beside what it keeps', () => {
    const box =
      '<aside class="newsletter"><form><p>Subscribe to our newsletter</p><input><button>Sign up</button></form></aside>';
    const text =
      'The <em>oldest</em> bridge over the river was built by hand, and people crossed it for four hundred years until the flood came.';
    const content = contentOf(
      `${NAVIGATION}<main><article><h1>The river</h1><div>${text}${box}</div>${PARAGRAPHS}</article></main>${FOOTER}`,
    );
    expect(content).toContain('The *oldest* bridge over the river');
    expect(content).not.toMatch(/Subscribe|Sign up/);
  });

  const SAYS = Array.from(
    { length: 4 },
    (_, index) =>
      `<p>I crossed the bridge number ${index} with my family last summer, and I think that it was the best day that we have had for years.</p>`,
  ).join('');
  const LD = (type: string): string => `<script type="application/ld+json">{"@type":"${type}"}</script>`;
  const LONG = PARAGRAPHS.repeat(3);

  it.each([
    ['an id', `<section id="comments"><h2>4 comments</h2>${SAYS}</section>`],
    ['a class', `<div class="reader-comments"><ol>${SAYS}</ol></div>`],
    ['a name in camel case', `<div class="articleComments">${SAYS}</div>`],
    ['another language', `<div id="kommentare">${SAYS}</div>`],
    ['a service', `<div id="disqus_thread">${SAYS}</div>`],
    ['a form', `<div id="respond"><h3>Leave a reply</h3>${SAYS}</div>`],
  ])('leaves out readers’ comments of an article: %s', (_how, comments) => {
    const content = contentOf(
      `${LD('NewsArticle')}${NAVIGATION}<main><article><h1>The river</h1>${LONG}</article>${comments}</main>`,
    );
    expect(content).toContain('The fourth bridge');
    expect(content).not.toMatch(/my family|Leave a reply/);
  });

  it('leaves out lists of other articles and buttons to share one', () => {
    const links = ['a', 'b', 'c'].map(
      (name) => `<li><a href="/${name}">Story ${name} of the harbour</a></li>`,
    );
    const content = contentOf(
      `${LD('BlogPosting')}<main><article><h1>The river</h1><div class="share-buttons"><p>Pass it on to a friend</p></div>${LONG}<div class="related-posts"><h2>Read on</h2><ul>${links.join('')}</ul></div></article></main>`,
    );
    expect(content).toContain('The fourth bridge');
    expect(content).not.toMatch(/Pass it on|harbour/);
  });

  it.each([
    [
      'of a forum',
      `${LD('DiscussionForumPosting')}<main><h1>Bridges</h1>${PARAGRAPHS}<div class="comments">${SAYS}</div></main>`,
    ],
    [
      'of a page with little else',
      `<main><h1>Bridges</h1><p>What do you think?</p><div class="comments">${SAYS}</div></main>`,
    ],
    [
      'around the article',
      `${LD('Article')}<main class="comments-open"><h1>Bridges</h1>${LONG}${SAYS}</main>`,
    ],
  ])('keeps comments %s', (_what, body) => {
    expect(contentOf(body)).toContain('my family');
  });

  it('keeps a small table of the page’s own content', () => {
    const content = contentOf(
      `<main><h1>Opening hours</h1><p>The bakery in the old town opens on most days of the week; on holidays call first.</p><table><tr><td>Mon<td><ul><li>10:00 - 20:00</ul><tr><td>Tue<td><ul><li>Closed</ul></table></main>`,
    );
    expect(content).toMatch(/Mon \| 10:00 - 20:00/);
  });

  it('gives all of a page without anything that looks like content', () => {
    expect(contentOf('<p>a</p>')).toBe('a');
    expect(contentOf('')).toBe('');
  });

  it('takes linear time on deep and on wide pages', () => {
    const cpuOf = (part: number): number => {
      const before = process.threadCpuUsage();
      contentOf(`${'<div class="a b">'.repeat(1_900 / part)}${PARAGRAPHS}`);
      contentOf(`<div hidden>x</div><noscript>y</noscript>`.repeat(5_000 / part));
      contentOf(`<ul>${'<li class="item"><a href="/x">a</a> b</li>'.repeat(10_000 / part)}</ul>`);
      return process.threadCpuUsage(before).user;
    };
    cpuOf(10);
    // Quadratic growth would be 100 times; the floor takes away the noise of short times.
    expect(cpuOf(1)).toBeLessThan(Math.max(cpuOf(10), 50_000) * 40);
  });
});
