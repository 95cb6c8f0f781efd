import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createColumn, settleColumn } from './column.ts';
import { createNumberReader, readInteger } from './number.ts';

function read(text: string, locale?: string): number | string | null {
  const reading = createNumberReader(locale)(text);
  return reading.state === 'value' ? reading.value : reading.state === 'absent' ? null : reading.reason;
}

describe('numbers without a locale', () => {
  it.each<[string, number]>([
    ['1.234,56 €', 1234.56],
    ['$1,234.56', 1234.56],
    ['1 234', 1234],
    ['1 234,5', 1234.5],
    ['1\u00a0234,5 kr', 1234.5],
    ['1\u202f234\u202f567,89', 1234567.89],
    ['₹1,23,456', 123456],
    ['₹1,23,456.78', 123456.78],
    ['1.2M', 1200000],
    ['1.2M views', 1200000],
    ['12,5 Mio.', 12500000],
    ['3,4 Mrd. €', 3400000000],
    ['26k', 26000],
    ['1.5K followers', 1500],
    ['2.5 million', 2500000],
    ['1.2万', 12000],
    ['3억 5', 300000000],
    ['12 тыс.', 12000],
    ['5 m', 5],
    ['14 kg', 14],
    ['(1,234)', -1234],
    ['($5.00)', -5],
    ['-5', -5],
    ['−5,5', -5.5],
    ['-$5.20', -5.2],
    ['$-5.20', -5.2],
    ['€ -3', -3],
    ['5-', -5],
    ['10-20', 10],
    ['1.299,- €', 1299],
    ['1.299,–', 1299],
    ['1,299.-', 1299],
    ['5,-', 5],
    ['-5,- €', -5],
    ['2 bin bags', 2],
    ['2 bin', 2000],
    ['2 bin TL', 2000],
    ['(12 ads)', 12],
    ['(5 USD)', -5],
    ['(€ 1.234,50)', -1234.5],
    ['½', 0.5],
    ['1½', 1.5],
    ['2 ¾ cups', 2.75],
    ['٣٫١٤', 3.14],
    ['١٬٢٣٤٫٥', 1234.5],
    ['١٢٣', 123],
    ['۱۲۳', 123],
    ['१२३', 123],
    ['１，２３４', 1234],
    ["1'234.50", 1234.5],
    ['1’234', 1234],
    ['1,234', 1234],
    ['1.234', 1234],
    ['12,5', 12.5],
    ['1,2345', 1.2345],
    ['0,123', 0.123],
    ['0.123', 0.123],
    ['1234,567', 1234.567],
    ['1.234.567', 1234567],
    ['1,234,567', 1234567],
    ['.5', 0.5],
    ['6.02e23', 6.02e23],
    ['12%', 12],
    ['Price: 19.99 USD', 19.99],
    ['USD100', 100],
    ['Model X100 for 50', 50],
    ['4.5 out of 5', 4.5],
    ['+7', 7],
    ['1 2', 1],
    ['1.837, 32 €', 1837.32],
    ['$119. 95', 119.95],
    ['36. 24', 36.24],
    ['35€ 99', 35.99],
    ['35 € 99 *', 35.99],
    ['$35 99', 35.99],
    ['$35⁹⁹', 35.99],
    ['$5, 12 left', 5],
    ['5€ 10€', 5],
    ['12 m² 45', 12],
    ['EUR29.66 (inc VAT 20%)', 29.66],
    ['VAT 20%: 5 €', 5],
    ['Rs.1,299', 1299],
    ['Rs. 1.299', 1299],
    ['No.5', 5],
    ['1.727 Ft', 1727],
    ['Rp 169.000', 169000],
    ['200.000 đ', 200000],
    ['1.299 €', 1299],
    ['1.659 €/l', 1.659],
    ['€ 1.659 per litre', 1.659],
    ['KWD 1.250', 1.25],
    ['US$1.250', 1250],
    ['-12 %', -12],
    ['98% positive', 98],
    ['４０．５', 40.5],
    ['৳১২৩', 123],
    ['2026 100', 2026],
    ['$..75', 0.75],
    ['$.750.30', 750.3],
    ['$.75,333', 75333],
    ['S/.129.90', 129.9],
    ['Free!', 0],
    ['Kostenlos *', 0],
    ['12 99 €', 12.99],
    ['£12 .99', 12.99],
    ['$1, 299', 1299],
    ['$35\n99', 35.99],
    ['10\n500', 10],
    ['12 руб 50 коп', 12.5],
    ['129.900', 129900],
    ['12x R$ 99,90', 99.9],
    ['2 for $5.00', 5],
    ['Pack of 6 $12.99', 12.99],
    ['1 kg = 12,99 €', 12.99],
    ['10–20 €', 10],
    ['19,99 €15,99 €', 19.99],
    ['12/31/2024: 5 €', 5],
    ['89,900 DT', 89.9],
    ['25.000 IQD', 25000],
    ['1万2千円', 12000],
    ['1.234e3', 1234],
    ['₹1.2 Cr', 12_000_000],
    ['۱۲۹,۰۰۰ تومان', 129000],
    ['१२,३४,५६७', 1234567],
    ['３，５００円', 3500],
    ['$19·99', 19.99],
  ])('%s is %d', (text, value) => {
    expect(read(text)).toBeCloseTo(value, 10);
  });

  it.each([
    'Call us',
    '1.2.3',
    '12.05.2024',
    '--',
    'n/a',
    '.',
    '12/31/2024',
    '10:30',
    '12, 50',
    "5'10",
    '1.23.456',
    '12.345,67,8',
  ])('rejects %s, which is not a number', (text) => {
    expect(read(text)).toMatch(/is not a number$/);
  });

  it.each(['40% OFF', 'Save 40%', 'incl. 20 % MwSt.'])('reads no number in %s, which is a rate', (text) => {
    expect(read(text)).toMatch(/is not a number$/);
  });

  it.each<[string, boolean]>([
    ['1.234', true],
    ['1,234', true],
    ['1.234 €', false],
    ['12.34', false],
    ['0.123', false],
  ])('marks %s as ambiguous: %s', (text, isAmbiguous) => {
    expect('note' in createNumberReader()(text)).toBe(isAmbiguous);
  });

  it.each<[string, string, number]>([
    ['1.234', 'de-AT', 1234],
    ['1.234', 'en_US', 1.234],
    ['1,234', 'de', 1.234],
    ['1,234 €', 'de', 1234],
    ['1,500 products', 'es-419', 1500],
    ['1,500 products', 'es', 1.5],
    ['1.234', '{{ lang }}', 1234],
    ['1.234', 'xx-klingon', 1234],
  ])('reads %s on a page in %s as %d', (text, language, value) => {
    expect(createNumberReader()(text, { language })).toMatchObject({ value });
  });

  it('cuts no number out of a longer one, whatever stands around it', () => {
    const around = fc.constantFrom(
      '',
      ' ',
      '$',
      '€',
      ' €',
      'EUR',
      'Rs.',
      ' kr',
      ' (inc VAT 20%)',
      '*',
      'ab ',
    );
    const part = fc.constantFrom('.', ',', "'", ' ', '..', '. ', ', ', '');
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'.split('')),
      minLength: 1,
      maxLength: 4,
    });
    const number = fc.array(fc.tuple(digits, part), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(around, number, digits, around, (before, parts, last, after) => {
        const core = `${parts.map(([some, separator]) => some + separator).join('')}${last}`;
        // A space may end the first of several numbers.
        fc.pre(!core.includes(' '));
        const reading = createNumberReader()(`${before}${core}${after}`);
        const allDigits = core.replaceAll(/\D/g, '');
        const isWhole = (value: number): boolean =>
          [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].some(
            (decimals) => Math.abs(value - Number(`${allDigits}e-${decimals}`)) <= 1e-9 * Math.abs(value),
          );
        expect(reading.state !== 'value' || isWhole(reading.value)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each<[text: string, language: string | undefined, value: number]>([
    ['1万2,800円', 'ja', 12_800],
    ['12만 9,000원', 'ko', 129_000],
    ['1억 5천만원', 'ko', 150_000_000],
    ['4.78万亿', 'zh', 4_780_000_000_000],
    ['천 4백만', 'ko', 14_000_000],
    ['5萬4千6百', 'zh', 54_600],
    ['12千米', 'zh', 12],
    ['2 mil millones', 'es', 2_000_000_000],
    ['1,47 mil. pregleda', 'hr', 1_470_000],
    ['327,4B görüntüleme', 'tr', 327_400],
    ['4.5B views', 'en', 4_500_000_000],
    ['3,5 mi de seguidores', 'pt-BR', 3_500_000],
    ['10 rb', 'id', 10_000],
    ['₹5 L', 'en-IN', 500_000],
    ['5 L', 'en-IN', 5],
    ['5 Cr', 'en-IN', 50_000_000],
    ['5-1/2 in', 'en', 5.5],
    ['1.5×10⁶', 'en', 1_500_000],
    ['1.5 × 10⁻³', 'en', 0.0015],
    ['6.02×10²³', 'en', 6.02e23],
    ['1.5 x 10^6', 'en', 1_500_000],
    ['2 x 10 cm', 'en', 2],
    ['$10¹', 'en', 10],
    ['1.2 million views 300 thousand likes', 'en', 1_200_000],
    ['2½ million', 'en', 2_500_000],
    ['½ million', 'en', 500_000],
    ['1,5 εκατ.', 'el', 1_500_000],
    ['5 tkr', 'sv', 5000],
    ['2 MSEK', 'sv', 2_000_000],
    ['500 TEUR', 'de', 500_000],
    ['5 K€', 'fr', 5000],
    ['1–2 million', 'en', 1_000_000],
    ['1.5 - 2.5 million', 'en', 1_500_000],
    ['1 or 2 million', 'en', 1_000_000],
    ['10–20k', 'en', 10_000],
    ['1 a 2 millones', 'es', 1_000_000],
    ['2-3 тыс.', 'ru', 2000],
    ['10 do 20 tys.', 'pl', 10_000],
    ['10 ile 20 bin', 'tr', 10_000],
    ['1k-2 million', 'en', 1000],
    ['3, 2 million', 'en', 3],
    ['10–20 %', 'en', 10],
    ['1.5 Cr', 'hi', 15_000_000],
    ['Rs 5cr', 'en', 50_000_000],
    ['$5.00 CR', 'en-US', 5],
    ['Followers 12K', 'en', 12_000],
    ['3M views', 'en', 3_000_000],
    ['10K+ Downloads', 'en', 10_000],
    ['2B views', 'en', 2_000_000_000],
    ['USD 2B', 'en', 2_000_000_000],
    ['2M EUR', 'en', 2_000_000],
    ['48,2 milhoes', 'pt', 48_200_000],
    ['1/2', undefined, 0.5],
    ['1 1/2 cups', 'en', 1.5],
    ['-4/5', undefined, -0.8],
    ['minus 5 °C', 'en', -5],
    ['マイナス5度', 'ja', -5],
    ['负0.2千米', 'zh', -0.2],
    ['3 euro en 50 cent', 'nl', 3.5],
    ['.08', 'ko', 0.08],
  ])('%s (%s) is %d', (text, language, value) => {
    expect(createNumberReader()(text, { language })).toMatchObject({ value });
  });

  it.each([
    '5 ft 2 in',
    '2h 30m',
    '12 h 30',
    '4/5 stars',
    'Page 1/2',
    '3 dozen',
    '10 k run',
    '5元3角',
    '5角',
    '100ユーロと30',
    '1.2万3千',
    '-,99',
    '–,5',
    '221B Baker Street',
    'Apt 12B',
    'A1B2',
    'B2B',
    'i9-13900K',
    'HDMI 2M',
    '2M USB cable',
    '5M2',
    '5cr',
    '10⁻³',
    '10⁶ cells',
    '+1 555 123 4567',
    '12 345 67',
    '0x1F',
    '2 million 500 thousand',
    '2 million and 500 thousand €',
    '2 thousand 500',
    '1.2 B',
    '100-2 million',
    'Season 1 - 2 million views',
    '1〜1万2,800円',
    '1-2 dozen',
    '-,659 €',
  ])('takes no part of %s', (text) => {
    expect(createNumberReader()(text, { language: 'en' })).toMatchObject({ state: 'invalid' });
  });

  it.each([
    ['2 Mio. 500 Tsd.', 'de'],
    ['2 млн 500 тыс. руб.', 'ru'],
    ['2 mln 500 tys.', 'pl'],
    ['2 millones 500 mil', 'es'],
    ['2 mi e 500 mil', 'pt'],
    ['2 milyon 500 bin', 'tr'],
    ['2 millió 500 ezer', 'hu'],
    ['2 triệu 500 nghìn', 'vi'],
    ['1tr2', 'vi'],
    ['۳/۵', 'fa'],
    ['2 juta 500 ribu', 'id'],
    ['3 crore 50 lakh', 'en-IN'],
    ['۲ میلیون ۵۰۰ هزار تومان', 'fa'],
  ])('takes no part of the sum %s (%s)', (text, language) => {
    expect(createNumberReader()(text, { language })).toMatchObject({ state: 'invalid' });
  });

  it('changes no value by what stands around it: it stays or is none', () => {
    const core = fc.constantFrom(
      '1万2,800',
      '1억 5천만',
      '20万亿',
      '1 1/2',
      '3/4',
      'minus 5',
      '2.5 million',
      '1,234.56',
      '12,5',
      '½',
      '99¢',
      '1.234.567',
      '7.45pm',
      '2h 30m',
      '5 ft 2 in',
    );
    const leading = fc.constantFrom('', ' ', 'about ', 'ca. ', '„', 'Only | ', '$', 'a total of ', 'およそ ');
    const trailing = fc.constantFrom(
      '',
      ' ',
      ' items',
      '*',
      ' (new)',
      ' kg',
      '“',
      ' | ',
      ' €',
      '$',
      ' of',
      ' 入り',
    );
    const language = fc.constantFrom(undefined, 'en', 'de', 'ja', 'ko', 'zh');
    fc.assert(
      fc.property(leading, core, trailing, language, (before, text, after, of) => {
        const alone = createNumberReader()(text, { language: of });
        const inside = createNumberReader()(`${before}${text}${after}`, { language: of });
        if (inside.state !== 'value') return;
        expect(alone).toMatchObject({ value: inside.value });
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads attributes and data with a decimal point', () => {
    expect(createNumberReader()('1.234', { isData: true })).toMatchObject({ value: 1.234 });
    expect(createNumberReader()('1,234', { isData: true })).toMatchObject({ value: 1234 });
  });

  it('gives the same text one number or none, whatever stands beside it', () => {
    const digits = fc.integer({ min: 1, max: 9999 }).map(String);
    const written = fc
      .array(fc.tuple(digits, fc.constantFrom('.', ',', ' ', "'")), { maxLength: 2 })
      .chain((parts) => digits.map((last) => `${parts.map(([some, mark]) => some + mark).join('')}${last}`));
    const text = fc
      .tuple(fc.constantFrom('', '$', '€ ', 'Rp '), written, fc.constantFrom('', ' €', ' kr', ' HUF'))
      .map((parts) => parts.join(''));
    const language = fc.constantFrom(undefined, 'de', 'en', 'fr');
    const readIn = (
      list: readonly string[],
      context: { language: string | undefined },
    ): Map<string, unknown> => {
      const read = createNumberReader();
      const column = createColumn();
      const readAll = (): [string, unknown][] =>
        list.map((one) => {
          const reading = read(one, { ...context, column });
          return [one, reading.state === 'value' ? reading.value : null];
        });
      const first = readAll();
      return new Map(settleColumn(column) ? readAll() : first);
    };
    fc.assert(
      fc.property(
        text,
        fc.array(fc.array(text, { maxLength: 6 }), { maxLength: 8 }),
        language,
        (one, lists, of) => {
          const values = lists.map((list) => readIn([...list, one], { language: of }).get(one));
          expect(new Set(values.filter((value) => value !== null)).size).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('treats blank text as absent', () => {
    expect(read(' \n')).toBeNull();
  });
});

describe('numbers of a locale', () => {
  it.each<[string, string, number]>([
    ['de', '1.234', 1234],
    ['de', '1,234', 1.234],
    ['de', '1.5', 1.5],
    ['de-CH', "1'234.50", 1234.5],
    ['en', '1,234', 1234],
    ['en', '1.234', 1.234],
    ['en-IN', '12,34,567.8', 1234567.8],
    ['fr', '1 234,5', 1234.5],
    ['fr', '1,234', 1.234],
    ['es', '1.234', 1234],
    ['pt-BR', 'R$ 1.234', 1234],
    ['it', '1.234', 1234],
    ['pl', '1 234,50 zł', 1234.5],
    ['ru', '1,234', 1.234],
    ['sv', '1 234 kr', 1234],
    ['ja', '1,234円', 1234],
    ['ar', '١٬٢٣٤', 1234],
  ])('%s: %s is %d', (locale, text, value) => {
    expect(read(text, locale)).toBe(value);
  });

  it('reads numbers that Intl formatted', () => {
    const locales = [
      'en',
      'de',
      'fr',
      'es',
      'it',
      'pt-BR',
      'nl',
      'pl',
      'ru',
      'sv',
      'tr',
      'ja',
      'en-IN',
      'de-CH',
      'ar-EG',
      'fa',
    ];
    const amount = fc.integer({ min: -999_999_999, max: 999_999_999 }).map((cents) => cents / 100);
    fc.assert(
      fc.property(fc.constantFrom(...locales), amount, (locale, value) => {
        const text = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(value);
        expect(read(text, locale)).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readInteger', () => {
  it.each<[string, string]>([
    ['12.5', 'is not a whole number'],
    ['9007199254740993', 'is too large to be exact'],
  ])('refuses %s', (text, reason) => {
    expect(readInteger(text, () => createNumberReader()(text))).toMatchObject({
      reason: expect.stringContaining(reason) as string,
    });
  });
});
