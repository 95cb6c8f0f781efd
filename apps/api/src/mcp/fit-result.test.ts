import { expect, it } from 'vitest';
import { fitResult, readJsonText, type PlainAnswer } from './fit-result.ts';

/** A list whose pages have `before` beside their elements and a cursor, which is absent on the last page. */
function listOf(elements: readonly string[], cursorOf: (next: number | null) => object) {
  return async (query: { cursor?: number; limit?: number } = {}): Promise<PlainAnswer> => {
    const { cursor = 0, limit = 100 } = query;
    const next = cursor + limit < elements.length ? cursor + limit : null;
    const value = { causes: ['a'], failures: elements.slice(cursor, cursor + limit), ...cursorOf(next) };
    return { value, credits: undefined };
  };
}

const MAX = 1_000;

it.each<[string, (next: number | null) => object]>([
  ['its page', (next) => ({ pagination: { cursor: next, has_more: next !== null } })],
  ['itself, absent on the last page', (next) => (next === null ? {} : { cursor: next })],
])('a list with a cursor of %s is read whole, however unequal its elements are', async (_name, cursorOf) => {
  const elements = Array.from({ length: 60 }, (_, n) => `${n}:`.padEnd((n * 37) % 900, 'x'));
  const read = listOf(elements, cursorOf);
  const seen: string[] = [];
  let cursor: number | null | undefined;
  do {
    const query: { cursor?: number } = typeof cursor === 'number' ? { cursor } : {};
    const { value, cut } = await fitResult(
      await read(query),
      { query },
      { maxCharacters: MAX, isPaged: true, run: ({ query: asked }) => read(asked as typeof query) },
    );
    expect(JSON.stringify(value).length).toBeLessThanOrEqual(MAX);
    const page = value as { failures: string[]; cursor?: number; pagination?: { cursor: number | null } };
    seen.push(...page.failures);
    cursor = page.cursor ?? page.pagination?.cursor;
    if (typeof cursor === 'number') expect(cut).toContain('Pass its cursor');
  } while (typeof cursor === 'number');
  expect(seen).toEqual(elements);
});

it('an answer that is no page is cut, and says so', async () => {
  const value = { refused: ['x'.repeat(2_000)] };
  const run = () => Promise.reject(new Error('it must not run again'));
  const fitted = await fitResult(
    { value, credits: undefined },
    {},
    { maxCharacters: MAX, isPaged: false, run },
  );
  expect(JSON.stringify(fitted.value).length).toBeLessThanOrEqual(MAX);
  expect(fitted.cut).toContain('max_characters');
});

it('an object with very many fields is cut too', async () => {
  const value = { data: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n])) };
  const fitted = await fitResult(
    { value, credits: undefined },
    {},
    {
      maxCharacters: MAX,
      isPaged: false,
      run: () => Promise.reject(new Error('not asked again')),
    },
  );
  expect(JSON.stringify(fitted.value).length).toBeLessThan(2 * MAX);
  expect(fitted.cut).toContain('elements are missing');
});

it('an answer of more than 16 million characters is refused before it is read', () => {
  expect(readJsonText('{"a":1}')).toEqual({ a: 1 });
  expect(() => readJsonText('['.repeat(16_000_001))).toThrow('extraction failed');
});
