import { readFileSync } from 'node:fs';
import { AppError } from '@gleaner/contracts';
import { describe, expect, inject, it } from 'vitest';
import { findTestData } from '../../../test/test-data.mjs';
import type { RawResponse } from './fetch-types.ts';
import { readRobots } from './robots-rules.ts';
import { createScrapeRobots } from './robots.ts';

const ORIGIN = 'https://site.example';

function decide(text: string, path: string): string {
  return readRobots(text, 'Gleaner').decide(new URL(path, ORIGIN));
}

const SUITE = findTestData('suites/robots.json');

interface Expectation {
  robots: string;
  agent: string;
  url: string;
  allowed: boolean;
}

function answer(status: number, text: string): RawResponse {
  return {
    url: '',
    finalUrl: '',
    status,
    contentType: 'text/plain',
    headers: {},
    body: Buffer.from(text),
  };
}

function wait() {
  return { deadlineAt: Date.now() + 5_000, signal: new AbortController().signal };
}

describe('robots.txt', () => {
  it('is read for the crawler it names, else for all', () => {
    const text = [
      'User-agent: other',
      'Disallow: /',
      '',
      'User-Agent: *',
      'Disallow: /a # not here',
      'Allow: /a/b$',
      'User-agent: gleaner/2.0',
      'User-agent: third',
      'Crawl-delay: 2',
      'Disallow: /c',
      'Disallow: /*.pdf$',
    ].join('\r\n');
    expect(decide(text, '/a')).toBe('allowed');
    expect(decide(text, '/c/d')).toBe('refused');
    expect(decide(text, '/x.pdf')).toBe('refused');
    const forAll = text.replace('gleaner', 'fourth');
    expect(decide(forAll, '/a')).toBe('refused');
    expect(decide(forAll, '/a/b')).toBe('allowed');
    expect(decide(forAll, '/c/d')).toBe('allowed');
    expect(decide('User-agent: Gleaner\nDisallow:\nUser-agent: *\nDisallow: /', '/x')).toBe('allowed');
    expect(decide('Disallow: /', '/x')).toBe('allowed');
  });

  it('lets the longest pattern decide, and a rule that allows win a tie', () => {
    const text = 'User-agent: *\nDisallow: /\nAllow: /shop/index.html\nDisallow: /*.pdf$\nAllow: /a/*.pdf$';
    expect(decide(text, '/shop/')).toBe('allowed');
    expect(decide(text, '/shop/index.html')).toBe('allowed');
    expect(decide(text, '/shop/other')).toBe('refused');
    expect(decide(text, '/a/x.pdf')).toBe('allowed');
    expect(decide(text, '/a/x.pdf?y')).toBe('refused');
    expect(decide('User-agent: *\nAllow: /x\nDisallow: /x', '/x')).toBe('allowed');
    expect(decide('User-agent: *\nDisallow: /ab\nAllow: /*b', '/ab')).toBe('allowed');
    expect(decide('user-agent *\ndisallow /ö', '/%c3%b6')).toBe('refused');
  });

  it.skipIf(SUITE.isMissing)(
    'is read as Google reads it, except that a URL is always escaped',
    { meta: SUITE.meta },
    () => {
      const cases = JSON.parse(readFileSync(SUITE.path, 'utf8')) as Expectation[];
      const wrong = cases.filter(
        ({ robots, agent, url, allowed }) =>
          (readRobots(robots, agent).decide(new URL(url)) === 'allowed') !== allowed,
      );
      expect(wrong.map(({ url }) => url)).toEqual(['http://foo.bar/foo/bar/ツ', 'http://foo.bar/foo/bar/ツ']);
    },
  );

  it('tells the pause that it asks this crawler for', () => {
    const delayFor = (text: string) => readRobots(text, 'Gleaner').crawlDelaySeconds;
    expect(delayFor('User-agent: *\nCrawl-delay: 2.5\nDisallow: /x')).toBe(2.5);
    expect(delayFor('User-agent: other\nCrawl-delay: 5\nUser-agent: gleaner\nDisallow: /x')).toBeUndefined();
    expect(delayFor('User-agent: *\nCrawl-delay: 9\n\nUser-agent: Gleaner\nDisallow: /x')).toBeUndefined();
    expect(delayFor('User-agent: *\nCrawl-delay: soon\nCrawl-delay: -1')).toBeUndefined();
    expect(delayFor('User-agent: Gleaner\nDisallow:\ncrawl-delay: 1\nCrawl-Delay: 3 # at night')).toBe(3);
  });

  it('keeps a rule once, however often agents and rules are repeated', () => {
    const agents = Array.from({ length: 15_000 }, (_, at) =>
      at % 2 === 0 ? 'User-agent:*' : `User-agent:${at}`,
    );
    const rules = Array.from({ length: 15_000 }, (_, at) => `Allow:/${at}`);
    const robots = readRobots([...agents, ...rules, 'Disallow:/'].join('\n'), 'Gleaner');
    expect(robots.size).toBeLessThan(3e6);
    expect(robots.decide(new URL('/x', ORIGIN))).toBe('refused');
  });

  it('does not compare patterns with a path for seconds', () => {
    const rules = Array.from({ length: 100 }, (_, at) => `Disallow: *${'a'.repeat(4_000)}${at}`);
    const text = ['User-agent: *', ...rules].join('\n');
    const startedAt = process.cpuUsage().user;
    expect(decide(text, `/${'a'.repeat(8_000)}`)).toBe('unknown');
    if (inject('isLong')) expect(process.cpuUsage().user - startedAt).toBeLessThan(500_000);
    expect(decide(text, '/short')).toBe('allowed');
  });

  it('says why it could not be read', async () => {
    const cause = new AppError('fetch_failed', { detail: 'target not allowed', retryable: false });
    const refusing = createScrapeRobots(() => Promise.reject(cause));
    await expect(refusing.ask(new URL(ORIGIN), wait())).resolves.toMatchObject({
      refusal: {
        retryable: false,
        options: { detail: 'robots.txt of the site could not be read: target not allowed' },
      },
    });
    for (const status of [429, 503]) {
      const down = createScrapeRobots(async () => answer(status, ''));
      await expect(down.ask(new URL(ORIGIN), wait())).resolves.toMatchObject({
        refusal: { retryable: true, options: { detail: `robots.txt of the site has status ${status}` } },
      });
    }
  });

  it('is forgotten when all rules together are large', async () => {
    const asked: string[] = [];
    const text = Array.from({ length: 50_000 }, (_, at) => `Allow:/${at}`).join('\n');
    const robots = createScrapeRobots(async ({ url }) => {
      asked.push(url);
      return answer(200, `User-agent: *\n${text}`);
    });
    for (let at = 0; at < 14; at += 1) await robots.ask(new URL(`https://s${at}.example/`), wait());
    await robots.ask(new URL('https://s13.example/'), wait());
    expect(asked).toHaveLength(14);
    await robots.ask(new URL('https://s0.example/'), wait());
    expect(asked).toHaveLength(15);
  });
});
