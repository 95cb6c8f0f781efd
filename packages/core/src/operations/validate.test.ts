import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { validateBody } from './validate.ts';

const schema = z.strictObject({
  name: z.string().optional(),
  urls: z.array(z.string().trim()).max(1_000_000).optional(),
  inputs: z.array(z.record(z.string(), z.unknown())).max(2_000).optional(),
});

function long(count: number, item: unknown): unknown[] {
  return Array.from({ length: count }, () => item);
}

it('parses a long list like a short one', async () => {
  const urls = long(3_000, ' a ');
  const inputs = long(1_999, { a: [1] });
  expect(await validateBody(schema, { name: 'n', urls, inputs })).toEqual({
    name: 'n',
    urls: long(3_000, 'a'),
    inputs,
  });
});

it.each([
  ['a wrong item far back', { urls: [...long(2_000, 'a'), 1] }, 'urls[2000]'],
  ['a wrong item at the start', { urls: [1, ...long(2_000, 'a')] }, 'urls[0]'],
  ['a list that is too long', { inputs: long(2_001, {}) }, 'inputs'],
  ['a text that can’t be stored', { inputs: [...long(1_000, {}), { a: ['\0'] }] }, 'inputs[1000].a[0]'],
  ['an unknown name beside a long list', { urls: long(2_000, 'a'), other: 1 }, 'other'],
])('names the field of %s', async (_, body, field) => {
  await expect(validateBody(schema, body)).rejects.toMatchObject({
    code: 'invalid_request',
    options: { field },
  });
});

it('a list of wrong items is refused at once, and a right one lets other work go on', async () => {
  const from = performance.now();
  await expect(validateBody(schema, { urls: long(1_000_000, {}) })).rejects.toThrow();
  if (inject('isLong')) expect(performance.now() - from).toBeLessThan(10_000);
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  await validateBody(schema, { urls: long(300_000, 'a') });
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
});
