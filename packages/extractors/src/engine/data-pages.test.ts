import { describe, expect, it } from 'vitest';
import { checkSchema, compileParser } from '../check-schema.ts';
import { extract } from './extract.ts';

type Fields = Parameters<typeof compileParser>[0]['fields'];

function read(fields: Record<string, unknown>, body: string, contentType: string): unknown {
  const extraction = extract(compileParser({ fields: fields as Fields }), {
    body: Buffer.from(body),
    contentType,
    url: 'https://a.example/x',
  });
  return extraction.ok ? extraction.data : extraction.failure;
}

describe('a JSON page', () => {
  const item = {
    html: '<p>Fish &amp; chips</p><script>x</script>',
    tag: 'a < b && c > d',
    uni: 'café – ok',
    end: '</body>',
  };
  const json = JSON.stringify({
    item,
    list: [
      { n: 1, tags: ['a'] },
      { n: 2, tags: [] },
    ],
    next: '/p?2',
  });

  it.each(Object.entries(item))('gives its texts as they are: %s', (name, value) => {
    expect(read({ v: { json: { path: `$.item.${name}` } } }, json, 'application/json')).toEqual({ v: value });
  });

  it('is read by path, also in rows, as a whole, and with addresses', () => {
    const fields = {
      rows: {
        json: { path: '$.list[*]' },
        take: 'all',
        fields: { n: { json: { path: '$.n' }, type: 'integer' } },
      },
      next: { json: { path: '$.next' }, type: 'url' },
      count: { json: { path: '$.list[*]' }, take: 'count' },
      text: { page: 'json' },
      whole: { page: 'json', type: 'json' },
    };
    expect(read(fields, json, 'text/html')).toEqual({
      rows: [{ n: 1 }, { n: 2 }],
      next: 'https://a.example/p?2',
      count: 2,
      text: json,
      whole: JSON.parse(json),
    });
  });

  it('declares no encoding in its texts', () => {
    const body = JSON.stringify({ html: '<meta charset="koi8-r">', name: 'é' });
    expect(read({ v: { json: { path: '$.name' } } }, body, 'application/json')).toEqual({ v: 'é' });
  });

  it('is none when it is something else', () => {
    expect(read({ v: { json: { path: '$' } }, w: { page: 'json' } }, '<p>{}</p>', 'text/html')).toEqual({
      v: null,
      w: null,
    });
  });

  it('is not read inside of elements', () => {
    const schema = { fields: { rows: { css: 'p', take: 'all', fields: { v: { json: { path: '$.a' } } } } } };
    expect(checkSchema(schema)).toMatchObject({ ok: false, faults: [{ path: 'fields.rows.fields.v.json' }] });
  });
});

describe('an XML page', () => {
  const feed = `<?xml version="1.0"?><rss xmlns:dc="urn:dc"><channel><item><title><![CDATA[Lamp & shade <new>]]></title>
<link>https://s.example/lamp</link><pubDate>Thu, 05 Mar 2026 10:00:00 GMT</pubDate><dc:creator>Ana</dc:creator><empty/><after>yes</after></item></channel></rss>`;

  it.each(['application/rss+xml', 'text/xml; charset=utf-8', 'text/html'])('is read as XML: %s', (type) => {
    const fields = {
      title: 'item title',
      link: { css: 'item > link', type: 'url' },
      date: { css: 'pubDate', type: 'datetime' },
      by: { xpath: "//*[local-name()='creator']" },
      path: { xpath: '//item/pubDate' },
      after: 'empty + after',
    };
    expect(read(fields, feed, type)).toEqual({
      title: 'Lamp & shade <new>',
      link: 'https://s.example/lamp',
      date: '2026-03-05T10:00:00.000Z',
      by: 'Ana',
      path: 'Thu, 05 Mar 2026 10:00:00 GMT',
      after: 'yes',
    });
  });
});

it('gives XML whole, so that it is read again as it was without its type', () => {
  const creator = '<rss xmlns:dc="urn:dc"><dc:creator>Ana</dc:creator><link>a</link></rss>';
  const fields = { by: 'dc\\:creator', link: 'link' };
  for (const [text, type] of [
    [creator, 'application/rss+xml'],
    [`<?xml version="1.0"?>${creator}`, 'text/html'],
  ] as const) {
    const { html } = read({ html: { page: 'html' } }, text, type) as { html: string };
    expect(html).toContain(text);
    expect(read(fields, html, 'text/html')).toEqual({ by: 'Ana', link: 'a' });
  }
});

it('resolves an address of XML with each xml:base around it', () => {
  const feed = `<feed xml:base="https://b.example/x/"><entry xml:base="y/"><link href="z"/></entry>
    <entry xml:base="https://c.example/"><link href="w"/></entry><link href="v"/></feed>`;
  const fields = {
    css: { css: 'link@href', type: 'url', take: 'all' },
    attr: { css: 'link', attr: 'href', type: 'url', take: 'all' },
    xpath: { xpath: '//*[local-name()="link"]', attr: 'href', type: 'url', take: 'all' },
    attribute: { xpath: '//link/@href', type: 'url', take: 'all' },
    rows: { css: 'entry', take: 'all', fields: { link: { css: 'link@href', type: 'url' } } },
  };
  const all = ['https://b.example/x/y/z', 'https://c.example/w', 'https://b.example/x/v'];
  expect(read(fields, feed, 'application/xml')).toEqual({
    css: all,
    attr: all,
    xpath: all,
    attribute: all,
    rows: all.slice(0, 2).map((link) => ({ link })),
  });
});
