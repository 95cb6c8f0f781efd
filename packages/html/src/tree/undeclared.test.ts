import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js';
import { createSinglebyteEncoder } from '@exodus/bytes/single-byte.js';
import { describe, expect, it } from 'vitest';
import { findTestData } from '../../../../test/test-data.mjs';
import { decodeHtml } from './decode.ts';

const SUITE = findTestData('suites/encodings');

const MULTIBYTE = /^(?:shift_jis|euc-jp|iso-2022-jp|gbk|gb18030|big5|euc-kr)$/;

function encode(encoding: string, text: string): Buffer {
  const make = MULTIBYTE.test(encoding) ? createMultibyteEncoder : createSinglebyteEncoder;
  return Buffer.from(make(encoding)(text));
}

/** A page without any declaration of its encoding. */
function page(encoding: string, text: string, { head = '', lang = '' } = {}): Buffer {
  return Buffer.concat([
    Buffer.from(`<!doctype html><html${lang === '' ? '' : ` lang="${lang}"`}><head>${head}</head><body><p>`),
    encode(encoding, text),
    Buffer.from('</p></body></html>'),
  ]);
}

const TEXTS = {
  ja: '駅から歩いて五分の小さな本屋です。古い地図と絵はがきを集めています。日曜日は休みます。',
  zh: '我们的茶馆在河边，每天早上八点开门。欢迎大家来喝茶，也可以带朋友一起下棋。',
  tw: '這家書店專門賣舊書和地圖，每天早上九點開門。歡迎大家來看書，星期日休息。',
  ko: '강가에 있는 작은 찻집입니다. 매일 아침 여덟 시에 문을 열고 일요일에는 쉽니다.',
  ru: 'Старый книжный магазин у вокзала. Мы собираем карты и открытки, по воскресеньям закрыто.',
  el: 'Ένα μικρό βιβλιοπωλείο δίπλα στον σταθμό. Μαζεύουμε παλιούς χάρτες και κάρτες.',
  he: 'חנות ספרים קטנה ליד התחנה. אנחנו אוספים מפות ישנות וגלויות. סגור בימי שבת.',
  ar: 'مكتبة صغيرة بجانب المحطة. نجمع الخرائط القديمة والبطاقات البريدية كل يوم.',
  th: 'ร้านหนังสือเล็ก ๆ ข้างสถานีรถไฟ เราเก็บแผนที่เก่าและโปสการ์ด ปิดวันอาทิตย์',
  de: 'Ein kleiner Buchladen am Bahnhof. Wir sammeln alte Karten, geöffnet täglich außer sonntags für Jäger schöner Bücher.',
  pl: 'Mała księgarnia obok dworca. Zbieramy stare mapy i pocztówki, w niedzielę zamknięte. Żółte łodzie są piękne.',
} as const;

describe('pages without a declaration', () => {
  it.each([
    ['shift_jis', TEXTS.ja],
    ['euc-jp', TEXTS.ja],
    ['iso-2022-jp', TEXTS.ja],
    ['gbk', TEXTS.zh],
    ['big5', TEXTS.tw],
    ['euc-kr', TEXTS.ko],
    ['windows-1251', TEXTS.ru],
    ['koi8-r', TEXTS.ru],
    ['iso-8859-5', TEXTS.ru],
    ['ibm866', TEXTS.ru],
    ['windows-1253', TEXTS.el],
    ['windows-1255', TEXTS.he],
    ['windows-1256', TEXTS.ar],
    ['windows-874', TEXTS.th],
    ['windows-1252', TEXTS.de],
    ['windows-1250', TEXTS.pl],
  ])('reads %s by its letters', (encoding, text) => {
    expect(decodeHtml(page(encoding, text), 'text/html').text).toContain(text);
  });

  it.each([
    ['one letter', 'A café by the river.', 'windows-1252'],
    ['a sign', 'Price: 5 €', 'windows-1252'],
    ['no letters', 'Plain text.', 'UTF-8'],
  ])('reads %s in the encoding of the West', (_what, text, encoding) => {
    expect(decodeHtml(page('windows-1252', text), undefined)).toMatchObject({ encoding });
  });

  it.each([
    [
      'windows-1252',
      'fr',
      'Réfrigérateur à 299 €. Livraison à domicile à régler à la caisse. Déjà vu à la télé.',
    ],
    [
      'windows-1252',
      '',
      'Réfrigérateur à 299 €. Livraison à domicile à régler à la caisse. Déjà vu à la télé.',
    ],
    [
      'windows-1252',
      '',
      'La città è più bella di notte. Perché non c’è nessuno? La società è già là, è la libertà.',
    ],
    ['windows-1252', '', 'Què és això? Demà farà més fred a la ciutat, però no serà així a la muntanya.'],
    ['windows-1252', '', 'Køb nu på tilbud'],
    ['windows-1253', 'el', 'Βιβλίο'],
    ['windows-1251', '', 'Магазин iPhone и чехлы USB-C к нему'],
  ])('mixes no alphabets within words: %s, language %j, %s', (encoding, lang, text) => {
    expect(decodeHtml(page(encoding, text, { lang }), 'text/html').text).toContain(text);
  });

  it('prefers what the language and the domain make likely', () => {
    const text = 'Łódź';
    const bytes = (lang: string): Buffer => page('windows-1250', text, { lang });
    expect(decodeHtml(bytes('pl'), undefined).text).toContain(text);
    expect(decodeHtml(bytes(''), undefined, 'http://sklep.example.pl/a').text).toContain(text);
  });

  it('keeps UTF-8 that has a fault, or whose last character is cut', () => {
    const whole = Buffer.from(`<p>${TEXTS.ru}</p>`);
    const faulty = Buffer.concat([whole, Buffer.from([0xe9]), whole]);
    expect(decodeHtml(faulty, undefined)).toMatchObject({ encoding: 'UTF-8' });
    expect(decodeHtml(whole.subarray(0, 40), undefined)).toMatchObject({ encoding: 'UTF-8' });
  });
});

describe('a declaration beyond the first 1,024 bytes', () => {
  const far = `<style>${'p { margin: 0 }\n'.repeat(200)}</style>`;
  it.each([
    ['by charset', '<meta charset="koi8-r">'],
    ['by http-equiv', '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'],
    ['after a comment with another', '<!-- <meta charset="big5"> --><meta charset=koi8-r>'],
    ['after a script with another', `<script>s = '<meta charset="big5">'</script><META CHARSET='KOI8-R'>`],
    ['after a style that is never closed in a comment', '<!-- <style> --><meta charset="koi8-r">'],
  ])('is read %s', (_how, meta) => {
    expect(decodeHtml(page('koi8-r', 'Мир', { head: far + meta }), 'text/html').text).toContain('<p>Мир</p>');
  });

  it('counts no declaration in the body, nor one that a script holds', () => {
    const body = Buffer.concat([
      page('windows-1252', 'Café', { head: `${far}<script>'<meta charset="big5">'` }),
      Buffer.from('<meta charset="koi8-r">'),
    ]);
    expect(decodeHtml(body, 'text/html').encoding).toBe('windows-1252');
  });

  it('reads hostile heads in time linear in their length', () => {
    const heads = ['<!--', '<script>', '<style', '<meta ', '<meta charset'].map((part) =>
      part.repeat(100_000),
    );
    for (const head of heads) {
      expect(decodeHtml(Buffer.from(head), 'text/html').text).toHaveLength(head.length);
    }
  });
});

/** Without the names of the attributes that declare it. */
function undeclared(bytes: Buffer): Buffer {
  const text = bytes
    .toString('latin1')
    .replace(/charset/gi, 'chars3t')
    .replace(/encoding=/gi, 'enc0ding=');
  return Buffer.from(text, 'latin1');
}

describe.skipIf(SUITE.isMissing)('the suite of encodings', { meta: SUITE.meta }, () => {
  it('reads at least 88 of 100 files, and all that are UTF-8', () => {
    const wrong: Record<'utf-8' | 'other', string[]> = { 'utf-8': [], other: [] };
    let count = 0;
    for (const kind of readdirSync(SUITE.path)) {
      const label = kind.slice(kind.indexOf('=') + 1);
      for (const name of readdirSync(join(SUITE.path, kind))) {
        const bytes = undeclared(readFileSync(join(SUITE.path, kind, name)));
        if (label !== 'utf-8') count += 1;
        if (decodeHtml(bytes, undefined).text !== decodeHtml(bytes, `text/html; charset=${label}`).text)
          wrong[label === 'utf-8' ? 'utf-8' : 'other'].push(`${kind}/${name}`);
      }
    }
    expect(wrong['utf-8']).toEqual([]);
    expect(wrong.other.length, wrong.other.join(' ')).toBeLessThanOrEqual(count * 0.12);
  });
});
