import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

test.each([
  ['{"a": 1,}', 'body', /^the text is not valid JSON: Expected .* at position 8 \(line 1 column 9\)$/],
  ['{"a": ', 'body', /^the text is not valid JSON: it ends too early$/],
  ['nothing', 'body', /^the text is not valid JSON: Unexpected token/],
  ['undefined', 'body', /^the text is not valid JSON/],
  ['{"a": {"__proto__": 1}}', 'a.__proto__', /is not allowed/],
  ['[{"\\u005f_proto__": 1}]', '[0].__proto__', /is not allowed/],
])('%s is refused at its place', (text, field, detail) => {
  expect(() => parseJson(text)).toThrow(
    expect.objectContaining({
      options: expect.objectContaining({ field, detail: expect.stringMatching(detail) as string }) as object,
    }) as Error,
  );
});

test('whole numbers that JavaScript would round are texts of their digits', () => {
  expect(parseJson('{"inputs": [{"url": "http://a.test/", "id": 1234567890123456789}]}')).toEqual({
    inputs: [{ url: 'http://a.test/', id: '1234567890123456789' }],
  });
});

test('what JSON allows is read, also names and texts that only look forbidden', () => {
  expect(parseJson('')).toBeUndefined();
  expect(parseJson('\ufeff{"a": "__proto__", "proto": [null]}')).toEqual({ a: '__proto__', proto: [null] });
});
