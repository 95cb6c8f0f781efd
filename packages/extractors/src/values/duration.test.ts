import { describe, expect, it } from 'vitest';
import { createDurationReader } from './duration.ts';

describe('durations', () => {
  it.each<[text: string, language: string | undefined, seconds: number]>([
    ['2h 30m', undefined, 9000],
    ['PT1H30M', undefined, 5400],
    ['P1DT2H', undefined, 93_600],
    ['PT0.5S', undefined, 0.5],
    ['1:23:45', undefined, 5025],
    ['12:34', undefined, 754],
    ['1:30 h', undefined, 5400],
    ['Runtime: 2 hours 5 minutes', 'en', 7500],
    ['90 Minuten', 'de', 5400],
    ['1 Std. 20 Min.', 'de', 4800],
    ['1時間30分', 'ja', 5400],
    ['2 小时 5 分钟', 'zh', 7500],
    ['1,5 часа', 'ru', 5400],
    ['1 h et 20 min', 'fr', 4800],
  ])('%s (%s) is %d s', (text, language, seconds) => {
    expect(createDurationReader()(text, language)).toEqual({ state: 'value', value: seconds });
  });

  it.each(['90', 'soon', '2 months', '1:75:00', 'P', '5 m of rope', '2h 30', '10:30 to 11:30'])(
    '%s is none',
    (text) => {
      expect(createDurationReader()(text, 'en')).toMatchObject({ state: 'invalid' });
    },
  );
});
