import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createColumn, settleColumn } from './column.ts';
import { createDateReader, type DateContext } from './date.ts';
import { LANGUAGES } from './languages.ts';

function date(text: string, locale?: string, format?: string): string | null {
  const reading = createDateReader({ kind: 'date', locale, format })(text);
  return reading.state === 'value' ? reading.value : reading.state === 'absent' ? null : reading.reason;
}

function datetime(text: string, locale?: string, format?: string): string | null {
  const reading = createDateReader({ kind: 'datetime', locale, format })(text);
  return reading.state === 'value' ? reading.value : reading.state === 'absent' ? null : reading.reason;
}

describe('dates', () => {
  it.each([
    '2026-03-03',
    '2026-3-3',
    '2026-03-03T10:00:00+02:00',
    '2026/03/03',
    '03.03.2026',
    '3.3.2026',
    '3. März 2026',
    '3 mars 2026',
    '3 de marzo de 2026',
    '3 marzo 2026',
    '3 maart 2026',
    '3 марта 2026 г.',
    '3 березня 2026',
    '3 marca 2026',
    '3. března 2026',
    '3 Mart 2026',
    '3. maaliskuuta 2026',
    'March 3, 2026',
    'Mar. 3rd, 2026',
    '3rd of March 2026',
    '3-Mar-2026',
    'Tue, 03 Mar 2026 10:00:00 GMT',
    '2026年3月3日',
    '2026년 3월 3일',
    '2026. március 3.',
    '٣ مارس ٢٠٢٦',
    '1772496000',
    '1772496000000',
    'Published on March 3, 2026 by A. Author',
    '3/3/2026',
  ])('%s', (text) => {
    expect(date(text)).toBe('2026-03-03');
  });

  it.each(['March 2026', '3 March', 'soon', '12:30', '2026', 'Call today, we are here', '3 listopada 2026'])(
    '%s is not guessed',
    (text) => {
      expect(date(text)).toMatch(/is not a date$/);
    },
  );

  it('rejects an ambiguous date', () => {
    expect(date('03/04/2026')).toMatch(/ambiguous/);
    expect(date('3/4/26')).toMatch(/ambiguous/);
    expect(date('13/04/2026')).toBe('2026-04-13');
    expect(date('04/13/2026')).toBe('2026-04-13');
  });

  it.each([
    ['en-US', '03/04/2026', '2026-03-04'],
    ['en-GB', '03/04/2026', '2026-04-03'],
    ['de', '03.04.26', '2026-04-03'],
    ['fr', '03/04/2026', '2026-04-03'],
    ['ro', '3 martie 2026', '2026-03-03'],
  ])('the locale %s reads %s', (locale, text, expected) => {
    expect(date(text, locale)).toBe(expected);
  });

  it.each(['2026-02-30', '31.04.2026', '2026-13-01'])('rejects %s, which does not exist', (text) => {
    expect(date(text)).toMatch(/calendar/);
  });

  it.each([
    ['dd.MM.yyyy', undefined, '04.03.2026', '2026-03-04'],
    ['MM/dd/yyyy', undefined, 'on 03/04/2026', '2026-03-04'],
    ['d. MMMM yyyy', 'de', '3. März 2026', '2026-03-03'],
    ['MMM d, yy', 'en', 'Mar 3, 26', '2026-03-03'],
    ["yyyy'y'M'm'd'd'", undefined, '2026y3m4d', '2026-03-04'],
    ['yyyy-MM-dd', undefined, 'on 2026-03-04', '2026-03-04'],
    ['d-MMM-yy', 'en', '3-Mar-26', '2026-03-03'],
    ["dd/MM/yyyy 'a-b (c)'", undefined, '04/03/2026 a-b (c)', '2026-03-04'],
    ['EEEE, d MMMM yyyy', 'en', 'Tuesday, 3 March 2026', '2026-03-03'],
  ])('the format %s (%s) reads %s', (format, locale, text, expected) => {
    expect(date(text, locale, format)).toBe(expected);
  });

  it('accepts only the format when one is given', () => {
    expect(date('2026-03-03', undefined, 'dd.MM.yyyy')).toMatch(/is not written as dd\.MM\.yyyy/);
  });
});

describe('dates with a time', () => {
  it.each([
    ['2026-03-03T10:15:30.123+02:00', '2026-03-03T08:15:30.123Z'],
    ['2026-03-03T10:15:30Z', '2026-03-03T10:15:30.000Z'],
    ['2026-03-03 10:15', '2026-03-03T10:15:00.000Z'],
    ['2026-03-03', '2026-03-03T00:00:00.000Z'],
    ['Tue, 03 Mar 2026 10:00:00 GMT', '2026-03-03T10:00:00.000Z'],
    ['March 3, 2026 at 5:30 PM', '2026-03-03T17:30:00.000Z'],
    ['March 3, 2026, 12:05 am EST', '2026-03-03T05:05:00.000Z'],
    ['3. März 2026, 14:05 Uhr', '2026-03-03T14:05:00.000Z'],
    ['3. März 2026 14:05 CEST', '2026-03-03T12:05:00.000Z'],
    ['3 mars 2026 à 14h05', '2026-03-03T14:05:00.000Z'],
    ['03.03.2026 23:59', '2026-03-03T23:59:00.000Z'],
    ['1772532000', '2026-03-03T10:00:00.000Z'],
    ['2026-03-03 5:30 PM', '2026-03-03T17:30:00.000Z'],
    ['2026-03-03T10:30 pm', '2026-03-03T22:30:00.000Z'],
    ['2026-03-03 12:30:15 a.m. EST', '2026-03-03T05:30:15.000Z'],
    ['2026-03-03 10:00 UTC', '2026-03-03T10:00:00.000Z'],
    ['2026-03-03 10:00:00 +0100', '2026-03-03T09:00:00.000Z'],
    ['2026-03-03 10:00 (CET)', '2026-03-03T09:00:00.000Z'],
    ['2026-03-03T10:00+01:00[Europe/Berlin]', '2026-03-03T09:00:00.000Z'],
    ['2026-03-03 10:30 AEST', '2026-03-03T00:30:00.000Z'],
    ['March 3, 2026 10:30 SGT', '2026-03-03T02:30:00.000Z'],
    ['March 3, 2026 5 PM HKT', '2026-03-03T09:00:00.000Z'],
    ['Tue Mar 03 2026 10:30:00 GMT+0100 (Central European Standard Time)', '2026-03-03T09:30:00.000Z'],
    ['10:30, 3 March 2026', '2026-03-03T10:30:00.000Z'],
    ['10:30 AM March 3, 2026', '2026-03-03T10:30:00.000Z'],
    ['5:30 PM EST, Tuesday, March 3, 2026', '2026-03-03T22:30:00.000Z'],
    ['5 pm on 3 March 2026', '2026-03-03T17:00:00.000Z'],
    ['14:05 Uhr, Dienstag, 3. März 2026', '2026-03-03T14:05:00.000Z'],
    ['23:59 03.03.2026', '2026-03-03T23:59:00.000Z'],
    ['Open 9:00 to 17:00. Written on 3 March 2026', '2026-03-03T00:00:00.000Z'],
    ['3 March 2026 10:30 BY A. AUTHOR', '2026-03-03T10:30:00.000Z'],
    ['3 March 2026 10:30 by us', '2026-03-03T10:30:00.000Z'],
    ['2026-03-03T10:30:00 PT', '2026-03-03T18:30:00.000Z'],
    ['July 3, 2026 10:30 AM ET', '2026-07-03T14:30:00.000Z'],
    ['3 March 2026 10:30 America/New_York', '2026-03-03T15:30:00.000Z'],
    ['2026-03-03 10:30 (Europe/Berlin)', '2026-03-03T09:30:00.000Z'],
    ['2026-07-03 10:30 (Europe/Berlin)', '2026-07-03T08:30:00.000Z'],
    ['2026-10-25 02:30 (Europe/Berlin)', '2026-10-25T00:30:00.000Z'],
    ['March 3, 2026 10:30 AM Eastern', '2026-03-03T15:30:00.000Z'],
    ['July 3, 2026 10:30 AM Pacific Standard Time', '2026-07-03T18:30:00.000Z'],
  ])('%s', (text, expected) => {
    expect(datetime(text)).toBe(expected);
  });

  it.each(['2026-03-03 10:30 IST', '3 March 2026 10:30 Middle Earth Time', '10:30 AM IST, March 3, 2026'])(
    'refuses the zone of %s',
    (text) => {
      expect(datetime(text)).toMatch(/has a time zone that is not known for sure/);
      expect(date(text)).toBe('2026-03-03');
    },
  );

  it('reads the written day, regardless of the zone', () => {
    expect(date('2026-03-03T23:30:00-08:00')).toBe('2026-03-03');
  });

  it('reads a format with time and zone', () => {
    expect(datetime('03.03.2026 05:30 PM +01:00', undefined, 'dd.MM.yyyy hh:mm a XXX')).toBe(
      '2026-03-03T16:30:00.000Z',
    );
  });
});

describe('the languages', () => {
  const days = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 3 + 2 * month));

  it.each(LANGUAGES)('%s: reads the months that Intl writes', (language) => {
    for (const dateStyle of ['long', 'medium', 'full'] as const) {
      const format = new Intl.DateTimeFormat(language, { dateStyle, timeZone: 'UTC', calendar: 'gregory' });
      const read = createDateReader({ kind: 'date' });
      for (const day of days) {
        const text = format.format(day);
        expect([text, read(text, { language })]).toEqual([
          text,
          { state: 'value', value: new Date(day).toISOString().slice(0, 10) },
        ]);
      }
    }
  });

  it.each(LANGUAGES)('%s: reads the relative times that Intl writes', (language) => {
    const format = new Intl.RelativeTimeFormat(language);
    const read = createDateReader({ kind: 'datetime' });
    const context = { language, fetchedAt: '2026-03-10T12:34:56.789Z' };
    for (const count of [1, 2, 3, 5, 11, 25]) {
      for (const [unit, minutes] of [
        ['hour', 60],
        ['minute', 1],
      ] as const) {
        const text = format.format(-count, unit);
        const at = new Date(Date.UTC(2026, 2, 10, 12, 34 - count * minutes)).toISOString();
        expect([text, read(text, context)]).toMatchObject([text, { value: at }]);
      }
      const text = format.format(-count, 'day');
      expect([text, read(text, context)]).toMatchObject([
        text,
        { value: new Date(Date.UTC(2026, 2, 10 - count)).toISOString() },
      ]);
    }
  });
});

describe('relative dates', () => {
  const fetchedAt = '2026-03-10T12:34:56.789Z';
  const read = (text: string, context: DateContext = { fetchedAt }, kind: 'date' | 'datetime' = 'date') => {
    const reading = createDateReader({ kind })(text, context);
    return reading.state === 'value' ? reading.value : reading.state === 'invalid' ? reading.reason : null;
  };

  it.each([
    ['yesterday', '2026-03-09'],
    ['Posted 3 days ago', '2026-03-07'],
    ['an hour ago', '2026-03-10'],
    ['2 weeks ago', '2026-02-24'],
    ['10 months ago', '2025-05-10'],
    ['3 yrs ago', '2023-03-10'],
    ['heute', '2026-03-10'],
    ['vor 2 Tagen', '2026-03-08'],
    ['hace 3 días', '2026-03-07'],
    ['avant-hier', '2026-03-08'],
    ['3天前', '2026-03-07'],
    ['the day before yesterday', '2026-03-08'],
    ['3 March 2026, 2 days ago', '2026-03-03'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it('keep the minute of times, and the time beside days', () => {
    expect(read('5 mins ago', undefined, 'datetime')).toBe('2026-03-10T12:29:00.000Z');
    expect(read('Yesterday at 10:30', undefined, 'datetime')).toBe('2026-03-09T10:30:00.000Z');
    expect(read('gestern, 14:05 Uhr', { fetchedAt, language: 'de' }, 'datetime')).toBe(
      '2026-03-09T14:05:00.000Z',
    );
  });

  it('are refused without a time of fetching, and marked with one', () => {
    expect(read('yesterday', {})).toMatch(/counts from the time of fetching, which is not known/);
    expect(createDateReader({ kind: 'date' })('yesterday', { fetchedAt })).toMatchObject({
      note: expect.stringContaining('counts from the time of fetching') as string,
    });
  });

  it('take words of an unknown language only as the whole text', () => {
    expect(read('hier')).toBe('2026-03-09');
    expect(read('hier klicken')).toMatch(/is not a date/);
    expect(read('hier', { fetchedAt, language: 'de' })).toBe('2026-03-09');
  });
});

describe('dates and times in their languages', () => {
  const fetchedAt = '2026-03-10T12:34:56.000Z';
  const read = (text: string, language: string | undefined): string | null => {
    const reading = createDateReader({ kind: 'datetime' })(text, { language, fetchedAt });
    return reading.state === 'value' ? reading.value : null;
  };

  it.each([
    ['3 March 2026 7.45pm', 'en', '2026-03-03T19:45:00.000Z'],
    ['3 March 2026 11.05am', 'en', '2026-03-03T11:05:00.000Z'],
    ['2026年3月3日 下午2:30', 'zh', '2026-03-03T14:30:00.000Z'],
    ['2026年3月3日 午後2時30分', 'ja', '2026-03-03T14:30:00.000Z'],
    ['2026년 3월 3일 오후 2시 5분', 'ko', '2026-03-03T14:05:00.000Z'],
    ['3 Μαρτίου 2026 5:30 μ.μ.', 'el', '2026-03-03T17:30:00.000Z'],
    ['3 مارس 2026 5:30 م', 'ar', '2026-03-03T17:30:00.000Z'],
    ['3 mars 2026 à 19 h', 'fr', '2026-03-03T19:00:00.000Z'],
    ['3 mars 2026 à 9 h 05', 'fr', '2026-03-03T09:05:00.000Z'],
    ['Tue Mar 03 12:00:00 2026', 'en', '2026-03-03T12:00:00.000Z'],
    ['3/Mar/2026', 'en', '2026-03-03T00:00:00.000Z'],
    ['Tue, 03 Mar 26 10:00:00 GMT', 'en', '2026-03-03T10:00:00.000Z'],
    ['26.03.12', 'ko', '2026-03-12T00:00:00.000Z'],
    ['١٢ مارس، ٢٠٢٦', 'ar', '2026-03-12T00:00:00.000Z'],
    ['12 верес 2025', 'uk', '2025-09-12T00:00:00.000Z'],
    ['1 hr 20 min ago', 'en', '2026-03-10T11:14:00.000Z'],
    ['1.5 hours ago', 'en', '2026-03-10T11:04:00.000Z'],
    ['day after tomorrow', 'en', '2026-03-12T00:00:00.000Z'],
    ['2 horas atrás', 'pt', '2026-03-10T10:34:00.000Z'],
    ['3 dager siden', 'nb', '2026-03-07T00:00:00.000Z'],
    ['1ヶ月前', 'ja', '2026-02-10T00:00:00.000Z'],
    ['3달 전', 'ko', '2025-12-10T00:00:00.000Z'],
    ['vor etwa 5 Stunden', 'de', '2026-03-10T07:34:00.000Z'],
    ['vor 29h', 'de', '2026-03-09T07:34:00.000Z'],
    ['منذ يومين', 'ar', '2026-03-08T00:00:00.000Z'],
  ])('%s (%s) is %s', (text, language, expected) => {
    expect(read(text, language)).toBe(expected);
  });

  it.each([
    ['11:00 de la mañana', 'es'],
    ['Guten Morgen', 'de'],
    ['1 hr and a bit 20 min ago', 'en'],
    ['1987年1月11日八点', 'zh'],
    ['1.5 months ago', 'en'],
    ['Read in 2 h 3 days ago', 'en'],
    ['What we will all do better tomorrow', 'en'],
  ])('%s (%s) is none', (text, language) => {
    expect(read(text, language)).toBeNull();
  });

  it('changes no distance by what stands around it: it stays or is none', () => {
    const core = fc.constantFrom(
      '1 hr 20 min ago',
      '1.5 hours ago',
      '3 days ago',
      'in 2 weeks',
      'an hour ago',
      '2h 5m ago',
    );
    const around = fc.constantFrom('', ' ', 'Posted ', ' by Ann', ' · ', '(', ')');
    fc.assert(
      fc.property(around, core, around, (before, text, after) => {
        const inside = read(`${before}${text}${after}`, 'en');
        expect([null, read(text, 'en')]).toContain(inside);
      }),
    );
  });
});

describe('the order of day and month', () => {
  const read = createDateReader({ kind: 'date' });
  const readAll = (texts: readonly string[], language?: string): (string | null)[] => {
    const column = createColumn();
    const all = (): (string | null)[] =>
      texts.map((text) => {
        const reading = read(text, { language, column });
        return reading.state === 'value' ? reading.value : null;
      });
    const first = all();
    return settleColumn(column) ? all() : first;
  };

  it('is the language’s, where it has one', () => {
    expect(readAll(['03/04/2026', '3/4/26'], 'fr')).toEqual(['2026-04-03', '2026-04-03']);
    expect(readAll(['03/04/2026'], 'en-US')).toEqual(['2026-03-04']);
    expect(readAll(['03/04/2026'], 'en')).toEqual([null]);
  });

  it('is that of the certain dates of the list', () => {
    expect(readAll(['03/04/2026', '25/04/2026'])).toEqual(['2026-04-03', '2026-04-25']);
    expect(readAll(['03/04/2026', '04/25/2026', '3/4/26'])).toEqual([
      '2026-03-04',
      '2026-04-25',
      '2026-03-04',
    ]);
    expect(readAll(['03/04/2026', '25/04/2026', '04/25/2026'])).toEqual([null, '2026-04-25', '2026-04-25']);
  });

  it('is unknown where the list contradicts the language', () => {
    expect(readAll(['03/04/2026', '04/25/2026'], 'fr')).toEqual([null, '2026-04-25']);
  });
});

it('gives only times that Postgres has, whatever the zone', () => {
  expect(datetime('9999-12-31T23:59:59-12:00')).toMatch(/is not a day of the calendar/);
  expect(datetime('0001-01-01T00:00:00+14:00')).toMatch(/is not a day of the calendar/);
  const year = fc.oneof(
    fc.constantFrom('0000', '0001', '9999', '10000', '-000001', '+020000'),
    fc.nat(12_000),
  );
  const part = fc.oneof(fc.constantFrom('01', '12', '28', '31'), fc.nat(99));
  const zone = fc.constantFrom('', 'Z', '+14:00', '-12:00', '+23:59', ' PST', ' UTC');
  fc.assert(
    fc.property(year, part, part, part, zone, (y, m, d, hour, offset) => {
      const padded = [m, d, hour].map((text) => String(text).padStart(2, '0'));
      const text = `${String(y).padStart(4, '0')}-${padded[0]}-${padded[1]}T${padded[2]}:59:60${offset}`;
      const reading = createDateReader({ kind: 'datetime' })(text);
      if (reading.state !== 'value') return;
      expect(reading.value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(reading.value > '0001').toBe(true);
    }),
  );
});

it.each(['7.45pmBy Ann', '7:45amazing', '19 h1'])('reads no time of which a part is unclear: %s', (time) => {
  expect(datetime(`March 3, 2026 ${time}`)).toMatch(/time of day that is not understood/);
});

it('changes no time by what stands around it: it stays or is none', () => {
  const core = fc.constantFrom<[text: string, language: string]>(
    ['March 3, 2026 7.45pm', 'en'],
    ['3 March 2026, 11.05am', 'en'],
    ['2026年3月3日 下午2:30', 'zh'],
    ['2026年3月3日 午後7時45分', 'ja'],
    ['2026년 3월 3일 오후 2:30', 'ko'],
    ['3 Μαρτίου 2026 2:30 μ.μ.', 'el'],
    ['٣ مارس ٢٠٢٦ ٢:٣٠ م', 'ar'],
    ['3 mars 2026 à 19 h', 'fr'],
    ['3 mars 2026 14h30', 'fr'],
    ['Tue, 3 Mar 26 10:00:00 GMT', 'en'],
  );
  const leading = fc.constantFrom(
    '',
    ' ',
    'Posted: ',
    'Published ',
    '„',
    'by Ann | ',
    '1 / ',
    'v2.',
    '(',
    '5 ',
  );
  const trailing = fc.constantFrom(
    '',
    ' ',
    '“',
    ' | 3 comments',
    ' (updated)',
    '*',
    ')',
    ' · 5 min read',
    '1',
    ':7',
  );
  fc.assert(
    fc.property(leading, core, trailing, (before, [text, language], after) => {
      const read = createDateReader({ kind: 'datetime' });
      const alone = read(text, { language });
      const inside = read(`${before}${text}${after}`, { language });
      if (inside.state !== 'value') return;
      expect(alone, `${before}${text}${after}`).toMatchObject({ value: inside.value });
    }),
    { numRuns: 2_000 },
  );
});

/** The value of a text on a page in a language; null for none. */
function valueOn(kind: 'date' | 'datetime', language: string, text: string): string | null {
  const fetchedAt = '2026-11-30T12:00:00.000Z';
  const reading = createDateReader({ kind })(text, { language, fetchedAt });
  return reading.state === 'value' ? reading.value : null;
}

describe('a zone beside a time', () => {
  it.each([
    ['datetime', 'ru', '3 марта 2026, 18:30 МСК'],
    ['datetime', 'ru', '3 марта 2026, 18:30 по Москве'],
    ['datetime', 'ru', '3 марта 2026, 18:30 (мск)'],
    ['datetime', 'ru', '3 марта 2026, 18:30 по московскому времени'],
    ['datetime', 'uk', '3 березня 2026, 18:30 за Києвом'],
    ['datetime', 'en', '2026-03-03 10:00 UTC - 5'],
    ['datetime', 'en', '2026-03-03 10:00 UTC+5.5'],
    ['datetime', 'en', '2026-03-03 10:00 Moscow time'],
    ['datetime', 'en', '2026-03-03 10:00 Tokyo time'],
    ['datetime', 'en', '2026-03-03 10:00 local time'],
    ['datetime', 'en', '2026-03-03 10:00 CST (China)'],
    ['datetime', 'en', '2026-03-03 10:00, IST'],
    ['datetime', 'en', '2026-03-03 10:00 Eastern European Time'],
    ['datetime', 'en', '2026-03-03 10:00 Central European Summer Time'],
    ['datetime', 'en', 'March 3, 2026, 9 PM ET/PT'],
    ['datetime', 'en', 'Moscow time: 3 March 2026 10:00'],
    ['datetime', 'en', '2026-03-03 10:00 UTC/GMT'],
    ['datetime', 'en', '2026-03-03 10:00 (Berlin)'],
    ['datetime', 'en', '2026-03-03 10:00 (Berlin time)'],
    ['datetime', 'en', '2026-03-03 10:00 WIB'],
    ['datetime', 'en', '2026-03-03 10:00 BRT'],
    ['datetime', 'en', '2026-03-03 10:00 XYZ'],
    ['datetime', 'ja', '2026年3月3日 10:00（日本時間）'],
    ['datetime', 'ja', '日本時間2026年3月3日 10:00'],
    ['datetime', 'ja', '2026年3月3日 10時30分 現地時間'],
    ['datetime', 'zh', '2026年3月3日 10:00 北京时间'],
    ['datetime', 'zh', '北京时间2026年3月3日10:00'],
    ['datetime', 'zh', '2026-03-03 北京时间 10:00'],
    ['datetime', 'ko', '2026년 3월 3일 10:00 (한국시간)'],
    ['datetime', 'ko', '2026년 3월 3일 오전 10:00 한국 시간'],
    ['datetime', 'fr', '3 mars 2026 à 10h00 (heure de Paris)'],
    ['datetime', 'fr', '3 mars 2026 10:00, heure locale'],
    ['datetime', 'es', '3 de marzo de 2026 10:00 (hora de Madrid)'],
    ['datetime', 'es', '3 de marzo de 2026 10:00 hora peninsular'],
    ['datetime', 'pt', '3 de março de 2026 10:00 horário de Brasília'],
    ['datetime', 'pt', '3 de março de 2026 às 10h (de Brasília)'],
    ['datetime', 'pt', '3 de março de 2026 às 10:00 (Brasília)'],
    ['datetime', 'de', '3. März 2026, 10:00 Uhr Ortszeit'],
    ['datetime', 'de', '3. März 2026, 10:00 Ortszeit'],
    ['datetime', 'de', '3. März 2026, 10:00 Uhr Moskauer Zeit'],
    ['datetime', 'de', '3. März 2026, 10:00 Uhr (deutscher Zeit)'],
    ['datetime', 'it', '3 marzo 2026 10:00 ora italiana'],
    ['datetime', 'nl', '3 maart 2026 10:00 Nederlandse tijd'],
    ['datetime', 'pl', '3 marca 2026 10:00 czasu polskiego'],
    ['datetime', 'tr', '3 Mart 2026 10:00 Türkiye saatiyle'],
    ['datetime', 'sv', '3 mars 2026 10:00 svensk tid'],
    ['datetime', 'fi', '3. maaliskuuta 2026 10:00 Suomen aikaa'],
    ['datetime', 'ar', '3 مارس 2026 10:00 بتوقيت مكة'],
    ['datetime', 'he', '3 במרץ 2026 10:00 שעון ישראל'],
    ['datetime', 'en', 'Yesterday at 10:00 Moscow time'],
    ['datetime', 'ru', 'вчера в 18:30 МСК'],
  ] as const)('makes no %s of %s: %s', (kind, language, text) => {
    expect(valueOn(kind, language, text)).toBeNull();
  });

  it.each([
    ['datetime', 'en', '2026-03-03 10:00 UTC–5', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 UTC +1', '2026-03-03T09:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 E.T.', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 E.S.T.', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 U.S. Eastern', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 US Eastern', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00, EST', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', 'March 3, 2026, 10:30 AM ET.', '2026-03-03T15:30:00.000Z'],
    ['datetime', 'en', 'March 3, 2026, 9 PM ET/6 PM PT', '2026-03-04T02:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 eastern time', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'zh', '发布时间：2026-03-03 10:00', '2026-03-03T10:00:00.000Z'],
    ['datetime', 'zh', '发布时间 2026-03-03 10:00', '2026-03-03T10:00:00.000Z'],
    ['datetime', 'en', '3 March 2026 10:30 · Reading time 5 min', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'en', '3 March 2026 10:30 by us', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'en', '3 March 2026 10:30 (updated)', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'en', '3 March 2026 10:30 | BBC News', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'de', '3. März 2026 um 10:30 Uhr von Anna', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'de', '3. März 2026, 10:30 Uhr', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'es', '3 de marzo de 2026 a las 10:30 horas', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'es', '3 de marzo de 2026 10:30 h', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'en', 'March 3, 2026 5 PM - 3 comments', '2026-03-03T17:00:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00 UTC (11:00 CET)', '2026-03-03T10:00:00.000Z'],
    [
      'datetime',
      'en',
      'Tue Mar 03 2026 10:30:00 GMT+0100 (Central European Standard Time)',
      '2026-03-03T09:30:00.000Z',
    ],
    ['datetime', 'en', '2026-03-03T10:00:00+01:00[Europe/Berlin]', '2026-03-03T09:00:00.000Z'],
  ] as const)('leaves the %s of %s: %s', (kind, language, text, expected) => {
    expect(valueOn(kind, language, text)).toBe(expected);
  });
});

describe('the years of other calendars and eras', () => {
  it.each([
    ['date', 'th', '3 มีนาคม 2569'],
    ['date', 'th', '03/03/2569'],
    ['date', 'th', '3 มี.ค. 69'],
    ['date', 'fa', '۱۴۰۴/۱۲/۱۲'],
    ['date', 'fa', '1404-12-12'],
    ['date', 'fa', '12/12/04'],
    ['date', 'ar-SA', '14-09-1447 هـ'],
    ['date', 'ar', '14/09/1447'],
    ['date', 'ar', '1447-09-14'],
    ['date', 'en', '14-09-1447 AH'],
    ['date', 'ja', '令和08.03.03'],
    ['date', 'ja', '令和8年3月3日'],
    ['date', 'ja', '平成30.1.1'],
    ['date', 'ja', 'H30.1.1'],
    ['date', 'ja', 'R08/03/03'],
    ['date', 'ja', '昭和55/3/3'],
    ['date', 'ja', '平成30-01-01'],
    ['date', 'zh-TW', '民國15.03.03'],
    ['date', 'zh-TW', '民國115年3月3日'],
    ['date', 'zh-TW', '中華民國115.03.03'],
    ['date', 'he', '5786/07/01'],
    ['date', 'ne', '२०८२-११-१९'],
    ['date', 'zh', '农历2026年3月3日'],
    ['date', 'ko', '음력 2026년 3월 3일'],
    ['date', 'ko', '단기 4359년 3월 3일'],
    ['date', 'en', 'March 15, 1044 BC'],
    ['date', 'de', '15. März 1044 v. Chr.'],
    ['date', 'en', '3 March 2569 BE'],
    ['date', 'bn', '03/03/1432'],
    ['date', 'ar', '2026-03-03 هـ'],
  ] as const)('makes no %s of %s: %s', (kind, language, text) => {
    expect(valueOn(kind, language, text)).toBeNull();
  });

  it.each([
    ['date', 'th', '3 มีนาคม 2026', '2026-03-03'],
    ['date', 'ar', '03/03/2026', '2026-03-03'],
    ['date', 'en', '3 March 1404', '1404-03-03'],
    ['date', 'en', '1404-03-03', '1404-03-03'],
    ['date', 'ja', '24.05.12', '2024-05-12'],
    ['date', 'ja', '2026/03/03', '2026-03-03'],
    ['date', 'ar', '3 مارس 2026 م', '2026-03-03'],
    ['date', 'fa', '3 مارس 2026', '2026-03-03'],
    ['date', 'en', '3 March 2569', '2569-03-03'],
    ['date', 'ar', '2026-03-03', '2026-03-03'],
  ] as const)('leaves the %s of %s: %s', (kind, language, text, expected) => {
    expect(valueOn(kind, language, text)).toBe(expected);
  });
});

describe('a time of day beside a date', () => {
  it.each([
    ['datetime', 'fr', '3 mars 2026 à midi'],
    ['datetime', 'fr', '3 mars 2026 à minuit'],
    ['datetime', 'de', '3.3.2026 halb acht'],
    ['datetime', 'de', '3. Mai 2026, mittags'],
    ['datetime', 'de', '3. Mai 2026, viertel nach 8'],
    ['datetime', 'fi', '3.3.2026 klo 10'],
    ['datetime', 'ru', '3 марта 2026 в 8 часов вечера'],
    ['datetime', 'ja', '2026年3月3日 正午'],
    ['datetime', 'zh', '2026年3月3日下午两点'],
    ['datetime', 'en', '3 May 2026 at 8'],
    ['datetime', 'en', '3 May 2026, 8 o’clock'],
    ['datetime', 'en', '3 May 2026, half past ten'],
    ['datetime', 'en', 'Yesterday at 10'],
    ['datetime', 'en', '2026-03-03 1030'],
    ['datetime', 'en', '3 May 2026, quarter to nine'],
    ['datetime', 'en', '3 May 2026 at eight'],
    ['datetime', 'en', 'At 8 on 3 May 2026'],
    ['datetime', 'en', 'half past ten on 3 May 2026'],
    ['datetime', 'de', '3. Mai 2026 um acht'],
    ['datetime', 'de', '3. Mai 2026 um 8'],
    ['datetime', 'de', '3. Mai 2026, acht Uhr'],
    ['datetime', 'de', 'gestern um 10'],
    ['datetime', 'fr', '3 mars 2026 à huit heures'],
    ['datetime', 'fr', '3 mars 2026 à 8 heures et demie'],
    ['datetime', 'es', '3 de marzo de 2026 a las 8'],
    ['datetime', 'es', '3 de marzo de 2026 a las ocho'],
    ['datetime', 'es', '3 de marzo de 2026 a las 8:00 y media'],
    ['datetime', 'es', '3 de marzo de 2026 al mediodía'],
    ['datetime', 'it', '3 marzo 2026 alle 8'],
    ['datetime', 'it', '3 marzo 2026 a mezzogiorno'],
    ['datetime', 'pt', '3 de março de 2026 às 8'],
    ['datetime', 'pt', '3 de março de 2026 ao meio-dia'],
    ['datetime', 'nl', '3 maart 2026 om 8 uur'],
    ['datetime', 'nl', '3 maart 2026, half acht'],
    ['datetime', 'sv', '3 mars 2026 kl 8'],
    ['datetime', 'da', '3. marts 2026 kl. 8'],
    ['datetime', 'pl', '3 marca 2026, godz. 8'],
    ['datetime', 'ru', '3 марта 2026 в 8'],
    ['datetime', 'ru', '3 марта 2026, полдень'],
    ['datetime', 'cs', '3. března 2026 v 8 hodin'],
    ['datetime', 'tr', '3 Mart 2026 saat 8'],
    ['datetime', 'en', '3 May 2026, morning'],
    ['datetime', 'zh', '2026年3月3日 中午'],
    ['datetime', 'zh', '2026年3月3日八点半'],
    ['datetime', 'zh', '2026年3月3日 8点三刻'],
    ['datetime', 'ko', '2026년 3월 3일 정오'],
    ['datetime', 'el', '3 Μαρτίου 2026 στις 8'],
  ] as const)('makes no %s of %s: %s', (kind, language, text) => {
    expect(valueOn(kind, language, text)).toBeNull();
  });

  it.each([
    ['datetime', 'en', '3 May 2026', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', '3 May 2026 · 8 comments', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', '3 May 2026, London', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'pt', 'Publicado em 3 de maio de 2026', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', 'Published at the office on 3 May 2026', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', '3 May 2026 noon', '2026-05-03T12:00:00.000Z'],
    ['datetime', 'de', 'Am 3. Mai 2026 von Anna', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', '3 May 2026 by Ann', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', 'yesterday', '2026-11-29T00:00:00.000Z'],
    ['datetime', 'en', '3 May 2026 in Berlin', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'fr', '3 mai 2026 à Paris', '2026-05-03T00:00:00.000Z'],
    ['datetime', 'en', '5 o 3 May 2026', '2026-05-03T00:00:00.000Z'],
  ] as const)('leaves the %s of %s: %s', (kind, language, text, expected) => {
    expect(valueOn(kind, language, text)).toBe(expected);
  });
});

describe('several days or times', () => {
  it.each([
    ['datetime', 'de', '3. März 2026, 8–10 Uhr'],
    ['datetime', 'en', '10:00–11:30, 3 March 2026'],
    ['datetime', 'en', '3 March 2026, 10:00-11:30'],
    ['datetime', 'en', '3 March 2026, 10:00 to 11:30'],
    ['datetime', 'en', '3 March 2026, 10 am - 2 pm'],
    ['datetime', 'en', '3 March 2026, 10-11 am'],
    ['datetime', 'fr', '3 mars 2026 de 10h à 12h'],
    ['datetime', 'es', '3 de marzo de 2026 de 10:00 a 11:30'],
    ['datetime', 'en', '3 March 2026, 10:00 and 14:00'],
    ['datetime', 'ja', '2026年3月3日 10時〜12時'],
    ['datetime', 'ja', '2026年3月3日 10:00~12:00'],
    ['datetime', 'ko', '2026년 3월 3일 10:00~12:00'],
    ['datetime', 'de', '3. März 2026, 10 bis 12 Uhr'],
    ['datetime', 'de', '3. März 2026, 10:00 bis 12:00 Uhr'],
    ['datetime', 'en', '2026-03-03 10:00-11:30'],
    ['datetime', 'en', '2026-03-03 10:00 – 11:30'],
    ['datetime', 'ru', '3 марта 2026 с 10:00 до 12:00'],
    ['datetime', 'zh', '2026年3月3日 10:00至12:00'],
    ['date', 'en', '3–5 March 2026'],
    ['date', 'en', 'March 3 – April 5, 2026'],
    ['date', 'en', 'Dec 30, 2025 – Jan 2, 2026'],
    ['date', 'en', 'March 3-5, 2026'],
    ['date', 'de', 'vom 3. bis 5. März 2026'],
    ['date', 'de', '03.03.-05.03.2026'],
    ['date', 'fr', '3-5 mars 2026'],
    ['date', 'es', '3 y 4 de marzo de 2026'],
    ['date', 'it', 'dal 3 al 5 marzo 2026'],
    ['date', 'ru', 'с 3 по 5 марта 2026'],
    ['date', 'fr', 'du 3 au 5 mars 2026'],
    ['date', 'de', '3.-5. März 2026'],
    ['date', 'de', '3./4. März 2026'],
    ['date', 'de', '3. März – 5. April 2026'],
    ['date', 'en', '3 March to 5 April 2026'],
    ['date', 'en', '2026-03-03 – 2026-03-05'],
    ['date', 'en', '2026-03-03/2026-03-05'],
    ['date', 'en', '2026-03-03 to 2026-03-05'],
    ['date', 'de', '03.03.2026-05.03.2026'],
    ['date', 'de', '03.03.2026 bis 05.03.2026'],
    ['date', 'fr', '03/03/2026 - 05/03/2026'],
    ['date', 'fr', '03/03-05/03/2026'],
    ['date', 'ja', '2026年3月3日～5日'],
    ['date', 'ja', '2026年3月3日〜3月5日'],
    ['date', 'zh', '2026年3月3日至5日'],
    ['date', 'ko', '2026년 3월 3일 ~ 5일'],
    ['date', 'ja', '2026/03/03~05'],
    ['date', 'en', '3, 4 and 5 March 2026'],
    ['date', 'en', '3 and 4 March 2026'],
    ['date', 'en', 'March 3 and 4, 2026'],
    ['date', 'en', '3 or 4 March 2026'],
    ['date', 'en', 'March 3, 2026 to April 5, 2026'],
    ['date', 'en', 'Published 3 March 2026, updated 5 March 2026'],
    ['date', 'es', 'del 3 al 5 de marzo de 2026'],
    ['date', 'pt', '3 a 5 de março de 2026'],
    ['date', 'nl', '3 t/m 5 maart 2026'],
    ['date', 'pl', '3–5 marca 2026'],
    ['date', 'sv', '3–5 mars 2026'],
    ['date', 'ru', '2-3 дня назад'],
    ['date', 'ja', '2-3日前'],
    ['date', 'zh', '2-3天前'],
    ['date', 'en', '5-10 days ago'],
    ['date', 'en', '5–10 days ago'],
    ['date', 'en', '2 to 3 days ago'],
    ['date', 'en', '2 or 3 days ago'],
    ['date', 'de', 'vor 2-3 Tagen'],
    ['date', 'fr', 'il y a 2-3 jours'],
    ['date', 'en', '1/2 day ago'],
    ['date', 'en', 'Mon 2 – Tue 3 March 2026'],
    ['date', 'hu', '2026. március 3–5.'],
    ['date', 'hu', '2026. március 3. - 2026. március 5.'],
    ['date', 'lt', '2026 m. kovo 3–5 d.'],
    ['date', 'lv', '2026. gada 3.-5. marts'],
    ['date', 'ko', '2026. 3. 3. ~ 3. 5.'],
    ['date', 'ko', '2026.03.03 ~ 03.05'],
  ] as const)('makes no %s of %s: %s', (kind, language, text) => {
    expect(valueOn(kind, language, text)).toBeNull();
  });

  it.each([
    ['datetime', 'en', '3 March 2026 10:30 - 5 min read', '2026-03-03T10:30:00.000Z'],
    ['datetime', 'en', '2026-03-03 10:00:00-05:00', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03T10:00-05:00', '2026-03-03T15:00:00.000Z'],
    ['datetime', 'en', '2026-03-03T10:00-12:00', '2026-03-03T22:00:00.000Z'],
    ['datetime', 'en', '3 March 2026 10:00 -0500', '2026-03-03T15:00:00.000Z'],
    ['date', 'en', '3 March 2026, 2 days ago', '2026-03-03'],
    ['date', 'en', '3 March 2026 – 5 comments', '2026-03-03'],
    ['date', 'en', 'Chapter 5 – 3 March 2026', '2026-03-03'],
    ['date', 'en', '3 March 2026 (2026-03-03)', '2026-03-03'],
    ['date', 'en', 'Tuesday 3 March 2026', '2026-03-03'],
    ['date', 'en', '5 min read – 3 days ago', '2026-11-27'],
    ['date', 'en', '5 comments – 3 days ago', '2026-11-27'],
    ['date', 'en', '2026-03-03 - 10:30', '2026-03-03'],
    ['date', 'en', 'Top 10 · 3 March 2026', '2026-03-03'],
    ['date', 'de', 'Seite 3 von 5, 3. März 2026', '2026-03-03'],
    ['date', 'en', '3 March 2026, 3.3.2026', '2026-03-03'],
  ] as const)('leaves the %s of %s: %s', (kind, language, text, expected) => {
    expect(valueOn(kind, language, text)).toBe(expected);
  });
});

describe('a relative time and what belongs to it', () => {
  it.each([
    ['date', 'zh', '去年3月3日'],
    ['date', 'en', '3 days–1 week ago'],
    ['date', 'en', 'yesterday or today'],
    ['date', 'de', 'heute oder morgen'],
    ['date', 'en', 'yesterday and today'],
    ['date', 'zh', '上个月5日'],
    ['date', 'zh', '明年3月3日'],
    ['date', 'ja', '昨年3月3日'],
    ['date', 'ko', '작년 3월 3일'],
    ['date', 'es', 'el año pasado, 3 de marzo'],
    ['date', 'pl', 'w zeszłym roku 3 marca'],
    ['date', 'ru', 'в прошлом году, 3 марта'],
    ['date', 'ru', '3 марта прошлого года'],
    ['date', 'pt', 'ano passado, 3 de março'],
    ['date', 'tr', 'geçen yıl 3 Mart'],
    ['date', 'en', 'last year, March 3'],
    ['date', 'zh', '上周二'],
    ['date', 'en', 'Tuesday last week'],
    ['date', 'de', 'letzte Woche Dienstag'],
    ['date', 'ja', '先週の火曜日'],
    ['date', 'ja', '先週火曜日'],
    ['date', 'ko', '지난주 화요일'],
    ['date', 'en', 'half a year ago'],
    ['date', 'es', 'hace un año y medio'],
    ['date', 'pt', 'há um ano e meio'],
    ['date', 'fr', 'il y a un an et demi'],
    ['date', 'it', 'un anno e mezzo fa'],
    ['date', 'ro', 'acum un an și jumătate'],
    ['date', 'de', 'vor einem halben Jahr'],
    ['date', 'nl', 'een half jaar geleden'],
    ['date', 'pl', 'pół roku temu'],
    ['date', 'zh', '大前天'],
    ['date', 'zh', '大后天'],
    ['date', 'ja', '一昨年'],
    ['date', 'ja', '再来週'],
    ['date', 'ja', '再来年'],
    ['date', 'zh', '上上周'],
    ['date', 'zh', '上上个月'],
    ['date', 'ko', '재작년'],
    ['date', 'ko', '지지난주'],
    ['date', 'fr', 'avant hier'],
    ['date', 'es', 'antes de ayer'],
    ['date', 'pt', 'antes de ontem'],
    ['date', 'en', 'a week ago yesterday'],
    ['date', 'en', '2 years ago on March 3'],
    ['date', 'de', 'vor 2 Jahren am 3. März'],
    ['date', 'en', '2 weeks ago on Tuesday'],
    ['date', 'zh', '3年前的3月5日'],
    ['date', 'zh', '两年半前'],
    ['date', 'ja', '1年半前'],
    ['date', 'en', '1 year and a half ago'],
    ['date', 'en', 'the week before last week'],
    ['date', 'en', 'the year before last year'],
    ['datetime', 'en', 'a quarter of an hour ago'],
    ['datetime', 'fr', 'il y a un quart d’heure'],
    ['datetime', 'de', 'vor einer Viertelstunde'],
    ['datetime', 'en', 'three quarters of an hour ago'],
    ['datetime', 'en', '1/2 hour ago'],
    ['datetime', 'it', "un'ora e mezza fa"],
    ['datetime', 'es', 'hace media hora'],
    ['datetime', 'es', 'hace una hora y media'],
    ['datetime', 'en', 'an hour and a half ago'],
  ] as const)('makes no %s of %s: %s', (kind, language, text) => {
    expect(valueOn(kind, language, text)).toBeNull();
  });

  it.each([
    ['date', 'de', 'vor einem Jahr und 3 Monaten', '2025-08-30'],
    ['date', 'en', 'last week', '2026-11-23'],
    ['date', 'en', 'Posted last week', '2026-11-23'],
    ['date', 'en', 'last year', '2025-11-30'],
    ['date', 'en', '2 weeks ago by Ann', '2026-11-16'],
    ['date', 'en', '2 years ago | 5 comments', '2024-11-30'],
    ['date', 'zh', '昨天', '2026-11-29'],
    ['date', 'zh', '发布于昨天', '2026-11-29'],
    ['date', 'zh', '昨天 10:30', '2026-11-29'],
    ['date', 'zh', '昨天发布', '2026-11-29'],
    ['date', 'zh', '3天前', '2026-11-27'],
    ['date', 'ja', '昨日の10:30', '2026-11-29'],
    ['date', 'ja', '先週', '2026-11-23'],
    ['date', 'ja', '3日前に更新', '2026-11-27'],
    ['date', 'ko', '어제', '2026-11-29'],
    ['date', 'zh', '去年', '2025-11-30'],
    ['date', 'zh', '上个月', '2026-10-30'],
    ['date', 'de', 'gestern, 14:05 Uhr', '2026-11-29'],
    ['date', 'en', 'Yesterday by Ann', '2026-11-29'],
    ['date', 'zh', '昨天上午10:30', '2026-11-29'],
    ['date', 'en', 'Posted yesterday, Sunday', '2026-11-29'],
    ['datetime', 'en', 'half an hour ago', '2026-11-30T11:30:00.000Z'],
  ] as const)('leaves the %s of %s: %s', (kind, language, text, expected) => {
    expect(valueOn(kind, language, text)).toBe(expected);
  });
});
