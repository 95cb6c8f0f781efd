import { describe, expect, it } from 'vitest';
import { encodeQuery, resolveUrl } from './base-url.ts';

describe('resolveUrl', () => {
  it.each([
    ['windows-1251', '/find?q=книга', 'http://a.example/find?q=%EA%ED%E8%E3%E0'],
    ['Shift_JIS', 'http://b.example/?q=本&p=2', 'http://b.example/?q=%96{&p=2'],
    ['EUC-JP', '?q=本#本', 'http://a.example/x/?q=%CB%DC#%E6%9C%AC'],
    ['GBK', '/书?名=书', 'http://a.example/%E4%B9%A6?%C3%FB=%CA%E9'],
    ['windows-1252', '?q=é€', 'http://a.example/x/?q=%E9%80'],
    ['ISO-8859-2', '?q=本', 'http://a.example/x/?q=%26%2326412%3B'],
    ['UTF-8', '?q=é', 'http://a.example/x/?q=%C3%A9'],
    ['UTF-16LE', '?q=é', 'http://a.example/x/?q=%C3%A9'],
    ['windows-1251', 'mailto:a@b.example?subject=кот', 'mailto:a@b.example?subject=%D0%BA%D0%BE%D1%82'],
    ['windows-1251', '/кот#a?кот', 'http://a.example/%D0%BA%D0%BE%D1%82#a?%D0%BA%D0%BE%D1%82'],
  ])('sends a query in the encoding of its page: %s %s', (encoding, reference, url) => {
    expect(resolveUrl(reference, 'http://a.example/x/', encoding)).toBe(url);
  });

  it('leaves alone what is encoded already', () => {
    expect(encodeQuery('?a=%E9&b=1', 'windows-1252')).toBe('?a=%E9&b=1');
  });

  it('reads halves of characters', () => {
    expect(resolveUrl('?q=\ud800', 'http://a.example/', 'windows-1251')).toBe(
      'http://a.example/?q=%26%2365533%3B',
    );
  });
});
