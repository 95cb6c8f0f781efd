import { expect, inject, it } from 'vitest';
import { detectBlock } from './blocks/detect-block.ts';
import { readRefreshDelayMs } from './browser/navigation-waits.ts';
import { isPageType, mediaType, requireText } from './http/content-type.ts';
import { joinCookies } from './http/cookie-sessions.ts';
import { readRetryAfter } from './retries.ts';
import { readRobots } from './robots-rules.ts';

const PAGE_BYTES = (inject('isLong') ? 16 : 4) * 1024 * 1024;
const HEADER_BYTES = 65_536;
const ROBOTS_BYTES = 512 * 1024;

function fill(part: string, bytes: number): string {
  return part.repeat(Math.floor(bytes / part.length));
}

/** Everything of a page that a main thread reads by patterns, with a text that repeats one part. */
function readAll(part: string): void {
  const text = fill(part, HEADER_BYTES);
  const headers = Object.fromEntries(
    ['cf-mitigated', 'x-amzn-waf-action', 'x-datadome', 'retry-after'].map((name) => [name, text]),
  );
  for (const size of [8_000, PAGE_BYTES]) {
    const page = {
      url: 'https://a.example/',
      finalUrl: `https://a.example/login/${encodeURI(fill(part, 8_000))}`,
      status: 200,
      contentType: `text/html;${text}`,
      body: Buffer.from(`document.cookie ${fill(part, size)}`.slice(0, size)),
    };
    requireText(page.body, page.contentType, true);
    isPageType(mediaType(page.contentType));
    detectBlock({ ...page, headers });
    detectBlock({ ...page, headers: {} });
    detectBlock({ ...page, finalUrl: page.url, headers: {} });
  }
  readRetryAfter(headers);
  readRefreshDelayMs(text);
  joinCookies(text, text);
  const rules = readRobots(fill(part, ROBOTS_BYTES), 'gleaner');
  rules.decide(new URL(`https://a.example/${encodeURI(fill(part, 2_000))}`));
}

it.each([
  '<',
  '</',
  '<input ',
  '<input type',
  '<input type = ',
  '<script>',
  '<noscript',
  'location ',
  'location . ',
  'log-sign-',
  '/',
  ' ',
  '\n',
  ';',
  '; ',
  '=',
  '1',
  '1.',
  'captch',
  'User-agent: *\nDisallow: *',
  'allow:/*',
])('the time to read hostile text is short, whatever it repeats: %j', (part) => {
  const cpuOf = (text: string): number => {
    const before = process.threadCpuUsage();
    readAll(text);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  cpuOf('a');
  // About half a second; time that grows with the square of 16 MB would be hours.
  expect(cpuOf(part)).toBeLessThan(Math.max(cpuOf('a'), 100_000) * 100);
});
