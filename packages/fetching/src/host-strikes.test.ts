import { expect, test } from 'vitest';
import { createHostStrikes } from './host-strikes.ts';

function pausesAfter(asked: string, finalUrl: string): Map<string, number> {
  const pauses = new Map<string, number>();
  const strikes = createHostStrikes({
    slowDown: (host, _accountId, pauseMs) => void pauses.set(host, pauseMs),
  });
  strikes.note('acc_1', new URL(asked), { finalUrl, status: 429, headers: { 'retry-after': '3600' } });
  return pauses;
}

test('the host that asks for a pause gets it, not another that led there', () => {
  expect(pausesAfter('https://a.example/', 'https://a.example/x')).toEqual(
    new Map([['a.example', 3_600_000]]),
  );
  expect(pausesAfter('https://short.example/1', 'https://stranger.test/')).toEqual(
    new Map([['stranger.test', 3_600_000]]),
  );
});

test('a site that leads from one of its names to another is paused by both', () => {
  const both = ['shop.example', 'www.shop.example'];
  for (const [asked, final] of [both, both.toReversed()]) {
    expect([...pausesAfter(`https://${asked}/`, `https://${final}/`).keys()].toSorted()).toEqual(both);
  }
});
