import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../testing/crawl-rules.ts';

const START = 'https://shop.example/';
const { normalise } = rulesOf(START);

describe('normalise', () => {
  it.each([
    ['HTTPS://Shop.Example:443/A/../b#top', 'https://shop.example/b'],
    ['http://shop.example:80', 'http://shop.example/'],
    ['http://shop.example:443/', 'http://shop.example:443/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://shop.example/caf%c3%a9', 'https://shop.example/caf%C3%A9'],
    ['https://shop.example/café', 'https://shop.example/caf%C3%A9'],
    ['https://shop.example/%61%2Db%2fc', 'https://shop.example/a-b%2Fc'],
    ['https://shop.example/%2e%2E/x', 'https://shop.example/x'],
    ['https://shop.example/x?', 'https://shop.example/x'],
    ['https://shop.example/x?b=2&a=1', 'https://shop.example/x?b=2&a=1'],
    ['https://shop.example/x?utm_source=a&b=2&UTM_Medium=c&gclid=1', 'https://shop.example/x?b=2'],
    ['https://shop.example/x?ut%6d_source=a', 'https://shop.example/x'],
    ['https://shop.example/x?utmost=1&_gad=2', 'https://shop.example/x?utmost=1&_gad=2'],
    ['https://shop.example/?a&&b=', 'https://shop.example/?a&&b='],
    [' https://shop.example/x\n', 'https://shop.example/x'],
    ['https:\\\\shop.example\\x', 'https://shop.example/x'],
  ])('%s is %s', (written, address) => {
    expect(normalise(written)).toBe(address);
  });

  it.each([
    'mailto:a@shop.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example/',
    'https://user@shop.example/',
    'https://user:secret@shop.example/',
    'https://shop.example:0/',
    'https://shop.example:99999/',
    'https://',
    '/x',
    '',
    `https://shop.example/${'a'.repeat(2_049)}`,
    `https://shop.example/${'a'.repeat(10_000_000)}`,
  ])('is null for %.40s', (written) => {
    expect(normalise(written)).toBe(null);
  });

  it('resolves against a base, and takes a URL that is parsed without changing it', () => {
    expect(normalise('../b?x=1#y', 'https://shop.example/a/c/d')).toBe('https://shop.example/a/b?x=1');
    const url = new URL('https://shop.example/x?gclid=1#y');
    expect(normalise(url)).toBe('https://shop.example/x');
    expect(url.href).toBe('https://shop.example/x?gclid=1#y');
  });

  it('leaves out the parameters of ignore_query, or the whole query', () => {
    const { normalise: without } = rulesOf(START, { ignore_query: ['sid', 'filter[x]', 'a b'] });
    expect(without('https://shop.example/?sid=1&SID=2&filter%5Bx%5D=3&a+b=4&%E0=5')).toBe(
      'https://shop.example/?SID=2&%E0=5',
    );
    const { normalise: bare } = rulesOf(START, { ignore_query: true });
    expect(bare('https://shop.example/x?a=1&b')).toBe('https://shop.example/x');
  });

  describe('by rule 2', () => {
    const { normalise: second } = rulesOf(START, { addresses: 2 });

    it.each([
      ['?&a=1', '?a=1'],
      ['?a=1&&b=2&', '?a=1&b=2'],
      ['?a&b=', '?a&b='],
      ['?&', ''],
      ['x|y?a=b|c', 'x%7Cy?a=b%7Cc'],
      ['x%7cy', 'x%7Cy'],
      ['?filter[]=1', '?filter%5B%5D=1'],
      ['?a=^{`}', '?a=%5E%7B%60%7D'],
      ['x[1]^', 'x%5B1%5D%5E'],
      ['?PHPSESSID=abc&a=1', '?a=1'],
      ['?a=1&phpsessid=abc', '?a=1'],
      ['?ASPSESSIONIDQQ=x', ''],
      ['?CFID=1&CFTOKEN=2&a', '?a'],
      ['?osCsid=1', ''],
      ['a;jsessionid=1F2.node?b=1', 'a?b=1'],
      ['(S(lit3py55t21z5v55vlm25s55))/a', 'a'],
      ['a/b/..;jsessionid=1/c', 'a/c'],
      ['a/(S(ab));jsessionid=1/c', 'a/c'],
      ['?sid=0123456789abcdef0123456789abcdef', ''],
      ['?sid=7&s=shoes&session=2026', '?sid=7&s=shoes&session=2026'],
      ['a;b=1', 'a;b=1'],
    ])('%s is %s', (written, address) => {
      expect(second(START + written)).toBe(START + address);
    });

    it('leaves hosts in brackets', () => {
      expect(second('http://[::1]:8080/a|b')).toBe('http://[::1]:8080/a%7Cb');
    });

    it('is what patterns are compared with', () => {
      for (const addresses of [1, 2] as const) {
        const { judge, normalise: write } = rulesOf(START, { addresses, include: ['/x?f[]=*|z'] });
        expect(judge(write(`${START}x?f[]=1|z`) ?? '')).toBe('ok');
        expect(judge(write(`${START}x?g[]=1|z`) ?? '')).toBe('excluded');
      }
    });

    it('is not that of crawls that were made before', () => {
      expect(normalise(`${START}?&PHPSESSID=1|2`)).toBe(`${START}?&PHPSESSID=1|2`);
    });
  });

  it('gives an address that it made again, and one address for each way to escape it', () => {
    const rules = [
      normalise,
      rulesOf(START, { ignore_query: true }).normalise,
      rulesOf(START, { addresses: 2 }).normalise,
      rulesOf(START, { ignore_query: ['a', '%'] }).normalise,
    ];
    const part = fc.string({
      unit: fc.constantFrom(
        ...Array.from('%%%2526ef.;/\\?&=+#@:aA-_~é 🦊\t\0[]|^{}"\'<>*'),
        'utm_',
        ';jsessionid=',
        '/(S(a))/',
        'sid=',
        '%41',
        '%2e',
        '%c3',
      ),
      maxLength: 24,
    });
    const written = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      part.map((text) => `https://shop.example/${text}`),
      fc.tuple(part, part).map(([path, query]) => `http://shop.example:8080/${path}?${query}`),
    );
    fc.assert(
      fc.property(written, fc.constantFrom(...rules), (url, rule) => {
        const once = rule(url);
        if (once === null) return;
        expect(rule(once)).toBe(once);
        expect(rule(`${once}#fragment`)).toBe(once);
        expect(rule(once.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()))).toBe(once);
      }),
      { numRuns: 1_000 },
    );
  });
});
