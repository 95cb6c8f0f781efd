import { expect, it } from 'vitest';
import { createBlockedHosts } from './blocked-hosts.ts';

it('counts and reports hosts that block most attempts, and forgets them after two windows', () => {
  let now = 0;
  const reported: string[] = [];
  const hosts = createBlockedHosts(
    (host) => reported.push(host),
    () => now,
  );
  for (let index = 0; index < 40; index += 1) {
    hosts.note('blocks.example', true);
    hosts.note('fine.example', index % 4 === 0);
  }
  for (let index = 0; index < 19; index += 1) hosts.note('few.example', true);
  expect(hosts.count()).toBe(1);
  expect(reported).toEqual(['blocks.example']);
  now = 300_000;
  expect(hosts.count()).toBe(1);
  now = 600_000;
  expect(hosts.count()).toBe(0);
});
