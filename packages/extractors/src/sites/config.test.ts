import { describe, expect, it } from 'vitest';
import { defaultSitesConfig, readSitesConfig, SITE_SETTINGS } from './config.ts';

describe('settings of the sites', () => {
  it('keeps the defaults without settings', () => {
    expect(readSitesConfig({})).toEqual(defaultSitesConfig);
  });

  it('takes each setting that it lists', () => {
    const origins = Object.fromEntries(
      Object.keys(SITE_SETTINGS).map((name) => [
        name,
        name.endsWith('_ORIGIN') ? 'http://127.0.0.1:4701/path?x' : ' v2 ',
      ]),
    );
    const text = JSON.stringify(readSitesConfig(origins));
    expect(text.match(/"http:\/\/127\.0\.0\.1:4701"/g)).toHaveLength(5);
    expect(text.match(/"v2"/g)).toHaveLength(Object.keys(SITE_SETTINGS).length - 5);
  });

  it.each(['ftp://x', 'localhost', 'file:///etc'])('rejects the origin %s by name', (value) => {
    expect(() => readSitesConfig({ GLEANER_SITE_REALTY_ORIGIN: value })).toThrow(
      /GLEANER_SITE_REALTY_ORIGIN/,
    );
  });
});
