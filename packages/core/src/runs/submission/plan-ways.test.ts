import { AppError, type ParserSchema, type ScrapeConfig } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { loadConfig } from '../../platform/config/load-config.ts';
import { dearestOf, planWays, type Asked } from './plan-ways.ts';

const DATABASE_URL = 'postgres://nowhere/none';
const config = loadConfig({ DATABASE_URL, GLEANER_PROXY_HIGHQUALITY: 'http://proxy.example.com:8080' });
const drawn: ParserSchema = { fields: { shot: { page: 'screenshot' } } };

function refusal(scrape: ScrapeConfig, asked: Asked = {}): string {
  try {
    planWays(config, scrape, asked);
    return '';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code} ${error.options.field}: ${error.options.detail}`;
  }
}

it('reserves the dearest way that the operator has', () => {
  expect(dearestOf(planWays(config, { escalate: 'both' }))).toBe(25);
  expect(dearestOf(planWays(loadConfig({ DATABASE_URL }), { escalate: 'both' }))).toBe(5);
  expect(dearestOf(planWays(config, { escalate: 'both', maxPrice: 24 }))).toBe(10);
  expect(dearestOf(planWays(config, {}))).toBe(1);
});

it.each<[ScrapeConfig, Asked, string]>([
  [{ maxPrice: 5 }, {}, 'invalid_request scrape_config.maxPrice: bounds what escalate may cost'],
  [
    { escalate: 'both', useBrowser: true, maxPrice: 4 },
    {},
    'invalid_request scrape_config.maxPrice: is less than the 5',
  ],
  [
    { escalate: 'browser', useBrowser: true },
    {},
    'invalid_request scrape_config.escalate: has no dearer way from',
  ],
  [
    { escalate: 'browser', maxPrice: 4 },
    {},
    'invalid_request scrape_config.escalate: has no dearer way within 4',
  ],
  [
    { escalate: 'proxy', proxy: 'highquality' },
    {},
    'invalid_request scrape_config.escalate: has no dearer way',
  ],
  [{ escalate: 'browser', proxy: 'hardcore' }, {}, 'temporarily_unavailable proxy: the proxy tier hardcore'],
  [
    { escalate: 'proxy', useBrowser: true, actions: [{ wait: 1 }] },
    {},
    'invalid_request scrape_config.escalate: does not go with actions',
  ],
  [
    { escalate: 'browser' },
    { method: 'POST', prefix: '' },
    'invalid_request escalate: does not go with POST',
  ],
  [
    { escalate: 'browser' },
    { schema: drawn },
    'invalid_request scrape_config.escalate: does not go with a screenshot',
  ],
])('refuses %o', (scrape, asked, text) => {
  expect(refusal(scrape, asked)).toContain(text);
});
