import { expect, it } from 'vitest';
import { batchSnippets } from '../runs/batch-code.ts';
import { apiSnippets } from './api-code.ts';

it('writes values into code without letting them end it', () => {
  const { curl, Python } = apiSnippets('http://a.test', '/v1/videosite/video', { id: `a'b"c` });
  expect(curl).toContain("'http://a.test/v1/videosite/video?id=a%27b%22c'");
  expect(Python).toContain(`params={"id":"a'b\\"c"}`);
});

it('shows a batch in three languages, with the key from the environment', () => {
  const snippets = batchSnippets('http://a.test', 'bat_1');
  expect(Object.keys(snippets)).toEqual(['curl', 'TypeScript', 'Python']);
  for (const text of Object.values(snippets)) expect(text).toMatch(/GLEANER_API_KEY/);
});
