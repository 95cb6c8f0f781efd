import type { ApiId } from '@gleaner/contracts';
import { describe, expect, it } from 'vitest';
import { defaultSitesConfig } from './config.ts';
import { checkSiteInput } from './index.ts';

function fieldOf(id: ApiId, input: Record<string, unknown>): string | undefined {
  return checkSiteInput(id, input, defaultSitesConfig)?.field;
}

describe('input that would fetch another page', () => {
  it.each(['photoapp-profile', 'photoapp-posts', 'photoapp-reels', 'shortvideo-profile'] as const)(
    '%s refuses a user name of dots',
    (id) => {
      for (const username of ['.', '..', '@..']) expect(fieldOf(id, { username }), username).toBe('username');
      for (const username of ['a.b', '.a', '_']) expect(fieldOf(id, { username }), username).toBeUndefined();
    },
  );

  it.each([
    'https://www.youtube.com/channelabcd',
    'https://www.youtube.com/playlist?v=aB3dE5gH7jK',
    'https://m.youtube.com/feed/aB3dE5gH7jK',
    'https://youtu.be/',
  ])('videosite-video finds no video id in %s', (url) => {
    expect(checkSiteInput('videosite-video', { url }, defaultSitesConfig)).toMatchObject({
      field: 'url',
      detail: 'does not contain a video id',
    });
  });

  it.each(['https://youtu.be/aB3dE5gH7jK', 'https://www.youtube.com/watch/?v=aB3dE5gH7jK'])(
    'videosite-video finds the video id in %s',
    (url) => expect(fieldOf('videosite-video', { url })).toBeUndefined(),
  );

  it('realty-search refuses a query of separators', () => {
    for (const query of ['---', ' , ', '.', '/'])
      expect(fieldOf('realty-search', { query }), query).toBe('query');
    for (const query of ['62701', 'Säo']) expect(fieldOf('realty-search', { query }), query).toBeUndefined();
  });
});
