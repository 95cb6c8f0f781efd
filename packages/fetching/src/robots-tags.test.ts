import { expect, it } from 'vitest';
import { readRobotsTags } from './robots-tags.ts';

it.each([
  ['noindex', true, false],
  ['NoIndex, NoFollow', true, true],
  ['none', true, true],
  ['unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow', false, true],
  ['otherbot: noindex, nofollow', false, false],
  ['gleanerbot: noindex', true, false],
  ['otherbot: noindex, GleanerBot: nofollow', false, true],
  [['otherbot: noindex', 'nofollow'], false, true],
  ['max-snippet:20, all', false, false],
  [undefined, false, false],
])('reads X-Robots-Tag %j', (headers, noindex, nofollow) => {
  expect(readRobotsTags(headers, 'GleanerBot')).toEqual({ noindex, nofollow });
});
