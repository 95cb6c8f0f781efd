import { expect, it } from 'vitest';
import { choiceOfSource, lackOfSource, NO_SOURCE, sourceOfChoice, type SourceChoice } from './source.ts';

const FEED: SourceChoice = { from: 'feed', url: ' https://a.example/rss ', isNewOnly: true };

it('writes the source of a run, and reads it again', () => {
  expect(sourceOfChoice(NO_SOURCE, true)).toBeUndefined();
  expect(sourceOfChoice(FEED, false)).toEqual({ source: { feed: 'https://a.example/rss' } });
  const body = sourceOfChoice(FEED, true);
  expect(body).toEqual({ source: { feed: 'https://a.example/rss' }, since: 'last_run' });
  expect(choiceOfSource(body?.source ?? null, body?.since ?? null)).toEqual({
    ...FEED,
    url: FEED.url.trim(),
  });
  expect(choiceOfSource(null, null)).toEqual(NO_SOURCE);
});

it('says what is missing', () => {
  expect(lackOfSource(NO_SOURCE)).toBeUndefined();
  expect(lackOfSource(FEED)).toBeUndefined();
  expect(lackOfSource({ ...FEED, url: 'rss' })).toBe('Enter the address of the feed.');
});
