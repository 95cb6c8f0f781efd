import { describe, expect, it } from 'vitest';
import { decodeHtml, decodeHtmlInParts } from './decode.ts';

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

describe('decodeHtml', () => {
  it.each([
    [
      'a byte order mark before everything else',
      bytes([0xef, 0xbb, 0xbf], 'é'.normalize()),
      'text/html; charset=utf-16le',
      'UTF-8',
    ],
    ['the charset of the content type', bytes([0xe9]), 'text/html; charset=iso-8859-1', 'windows-1252'],
    ['a quoted charset', bytes([0xcf, 0xf0]), 'text/html; charset="windows-1251"', 'windows-1251'],
    ['meta charset', bytes('<meta charset=shift_jis>', [0x83, 0x65]), undefined, 'Shift_JIS'],
    [
      'meta http-equiv',
      bytes('<meta http-equiv=Content-Type content="text/html; charset=koi8-r">', [0xc1]),
      undefined,
      'KOI8-R',
    ],
    ['gb2312 as the larger gbk', bytes('<meta charset=gb2312>', [0xc4, 0xe3]), undefined, 'GBK'],
    ['utf-16 in a meta as utf-8', bytes('<meta charset=utf-16>', [0xc3, 0xa9]), undefined, 'UTF-8'],
    ['utf-16 by its byte order mark', Buffer.from('\ufeffhé', 'utf16le'), undefined, 'UTF-16LE'],
    ['UTF-8 where nothing is declared and the bytes are UTF-8', bytes([0xc3, 0xa9]), 'text/html', 'UTF-8'],
    ['windows-1252 where nothing is declared and they are not', bytes([0xe9]), undefined, 'windows-1252'],
  ])('takes %s', (_what, body, contentType, encoding) => {
    expect(decodeHtml(body, contentType).encoding).toBe(encoding);
  });

  it.each([
    ['windows-1252', [0x80, 0x93, 0xe9], '€“é'],
    ['shift_jis', [0x83, 0x65, 0x83, 0x58], 'テス'],
    ['gb18030', [0xc4, 0xe3, 0xba, 0xc3], '你好'],
    ['big5', [0xa7, 0x41], '你'],
    ['euc-kr', [0xc7, 0xd1], '한'],
    ['euc-jp', [0xa4, 0xa2], 'あ'],
    ['windows-1251', [0xcf, 0xf0, 0xe8], 'При'],
    ['iso-8859-2', [0xb1], 'ą'],
    ['utf-16le', [0x68, 0x00, 0xe9, 0x00], 'hé'],
    ['utf-16be', [0x00, 0x68, 0x00, 0xe9], 'hé'],
  ])('reads %s', (charset, body, text) => {
    expect(decodeHtml(Uint8Array.from(body), `text/html; charset=${charset}`).text).toBe(text);
  });

  it('drops the byte order mark of a text', () => {
    expect(decodeHtml('\ufeffx', undefined).text).toBe('x');
  });

  it('reads only its own part of a larger buffer', () => {
    const slab = Buffer.from('xxh\u00e9xx', 'latin1');
    expect(decodeHtml(slab.subarray(2, 4), 'text/html; charset=latin1').text).toBe('hé');
  });
});

describe('decodeHtmlInParts', () => {
  it.each(['gb18030', 'shift_jis', 'big5', 'iso-2022-jp', 'utf-16le', 'utf-8', 'iso-2022-kr', ''])(
    'gives the same text as decodeHtml (%s), and lets others go on',
    async (charset) => {
      const body = Uint8Array.from({ length: 1_200_001 }, (_, at) =>
        at % 2 === 0 ? 0x81 + ((at * 13) % 100) : 0x30 + ((at * 7) % 64),
      );
      const contentType = charset === '' ? 'text/html' : `text/html; charset=${charset}`;
      let turns = 0;
      const others = setInterval(() => (turns += 1), 0);
      const inParts = await decodeHtmlInParts(body, contentType);
      clearInterval(others);
      expect(inParts).toEqual(decodeHtml(body, contentType));
      if (['gb18030', 'shift_jis', 'big5', 'iso-2022-jp'].includes(charset)) expect(turns).toBeGreaterThan(0);
    },
  );
});
