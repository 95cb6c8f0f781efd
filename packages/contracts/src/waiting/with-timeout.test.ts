import { expect, it } from 'vitest';
import { withTimeout } from './turns.ts';

const never = new Promise<string>(() => undefined);

it('gives what the work gives in time', async () => {
  const late = () => {
    throw new Error('late');
  };
  expect(await withTimeout(Promise.resolve('done'), 60_000, late)).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('broken')), 60_000, late)).rejects.toThrow('broken');
});

it('gives what the caller wants when the time is over', async () => {
  expect(await withTimeout(never, 5, () => undefined)).toBeUndefined();
  await expect(
    withTimeout(never, 5, () => {
      throw new Error('late');
    }),
  ).rejects.toThrow('late');
});

it('ignores the error of work that fails later', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  expect(await withTimeout(promise, 5, () => 'late')).toBe('late');
  // An unhandled rejection would fail this file.
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
