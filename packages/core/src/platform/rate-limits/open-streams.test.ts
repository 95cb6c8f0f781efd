import { expect, it } from 'vitest';
import { createOpenStreams } from './fair-share.ts';

it.each([
  ['stream', 20],
  ['events', 100],
] as const)('an account has a bounded number of %s answers open, and closed ones make room', (kind, most) => {
  const streams = createOpenStreams();
  const open = (accountId = 'acc_a') => streams.open(accountId, kind);
  const closers = Array.from({ length: most }, () => open());
  expect(open).toThrow(expect.objectContaining({ retryable: true }));
  expect(() => open('acc_b')).not.toThrow();
  for (let times = 0; times < 2; times += 1) closers[0]?.();
  expect(open).not.toThrow();
  expect(open).toThrow(expect.objectContaining({ retryable: true }));
});

it('streams of one kind don’t count for the other kind', () => {
  const streams = createOpenStreams();
  for (let count = 0; count < 20; count += 1) streams.open('acc_a', 'stream');
  expect(() => streams.open('acc_a', 'events')).not.toThrow();
});
