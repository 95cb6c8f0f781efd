import { describe, expect, it } from 'vitest';
import { readRating } from './rating.ts';

describe('ratings', () => {
  it.each<[text: string, value: number, best: number | null]>([
    ['4,6 von 5', 4.6, 5],
    ['4.6/5 (120)', 4.6, 5],
    ['Rated 4 out of 5 stars, 3 reviews', 4, 5],
    ['4,5 étoiles sur 5', 4.5, 5],
    ['5つ星のうち4.6', 4.6, 5],
    ['5 yıldız üzerinden 4,6', 4.6, 5],
    ['★★★★☆', 4, 5],
    ['92 %', 92, 100],
    ['4.6', 4.6, null],
    ['4.6 ★ (1,234)', 4.6, null],
    ['{"ratingValue": "4.6", "bestRating": 5}', 4.6, 5],
  ])('%s is %d of %s', (text, value, best) => {
    expect(readRating(text)).toEqual({ state: 'value', value: { value, best } });
  });

  it.each([
    '4 1/2 out of 5',
    '-1/5',
    '1,234 reviews',
    '7 of 5',
    'no rating',
    '1/2/2026',
    '4 of 5, 3 of 5',
    '12 ratings',
  ])('%s is none', (text) => {
    expect(readRating(text)).toMatchObject({ state: 'invalid' });
  });
});
