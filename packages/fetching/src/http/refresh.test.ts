import { describe, expect, it } from 'vitest';
import { refreshOf } from './refresh.ts';

function leadsTo(html: string, more: { refresh?: string; status?: number; contentType?: string } = {}) {
  const { refresh, status = 200, contentType = 'text/html' } = more;
  const headers = refresh === undefined ? {} : { refresh };
  const page = {
    finalUrl: 'https://a.example/x/y?z#h',
    status,
    headers,
    contentType,
    body: Buffer.from(html),
  };
  return refreshOf(page)?.href;
}

function meta(content: string): string {
  return `<meta http-equiv="refresh" content="${content}">`;
}

describe('a refresh leads on', () => {
  it.each([
    ['with quotes', meta("0;url='/real'"), 'https://a.example/real'],
    ['in capitals', '<META CONTENT="0; URL=real" HTTP-EQUIV=Refresh>', 'https://a.example/x/real'],
    ['after a comma', meta('0,url=./real'), 'https://a.example/x/real'],
    ['without url', meta('5; /real'), 'https://a.example/real'],
    ['after a blank', meta('0 url = /real'), 'https://a.example/real'],
    ['after a fraction', meta('0.5;url=/real'), 'https://a.example/real'],
    ['with references', meta('0;url=/?a=1&amp;b=2'), 'https://a.example/?a=1&b=2'],
    ['to another site', meta('3;url=http://b.example/'), 'http://b.example/'],
    ['from a base', `<base href="/base/">${meta('0;url=real')}`, 'https://a.example/base/real'],
    ['in the body', `<body><p>Wait</p>${meta('0;url=/real')}`, 'https://a.example/real'],
  ])('%s', (_how, html, url) => {
    expect(leadsTo(html)).toBe(url);
  });

  it('by a header', () => {
    expect(leadsTo('', { refresh: '0; url=/real' })).toBe('https://a.example/real');
  });
});

describe('a page stays', () => {
  it.each([
    ['after six seconds', meta('6;url=/real')],
    ['when it loads itself', meta('0')],
    ['when it names itself', meta('0;url=y?z#other')],
    ['in noscript', `<noscript>${meta('0;url=/real')}</noscript>`],
    ['in a comment', `<!-- ${meta('0;url=/real')} -->`],
    ['in a script', `<script>s = '${meta('0;url=/real')}'</script>`],
    ['in a template', `<template>${meta('0;url=/real')}</template>`],
    ['for a script', meta('0;url=javascript:x()')],
    ['without a number', meta('url=/real')],
  ])('%s', (_how, html) => {
    expect(leadsTo(html)).toBeUndefined();
  });

  it('when it is an error or no HTML', () => {
    expect(leadsTo(meta('0;url=/real'), { status: 404 })).toBeUndefined();
    expect(leadsTo(meta('0;url=/real'), { contentType: 'text/plain' })).toBeUndefined();
  });

  it('when hostile markup takes no longer', () => {
    for (const part of ['<meta ', '<!--', '<script', '<meta http-equiv=refresh '])
      expect(leadsTo(part.repeat(100_000))).toBeUndefined();
  });
});
