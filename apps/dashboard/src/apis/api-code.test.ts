import { expect, it } from 'vitest';
import { batchSnippets } from '../runs/batch-code.ts';
import { apiSnippets } from './api-code.ts';

it('writes values into code without letting them end it', () => {
  const [curl, python] = apiSnippets('http://a.test', '/v1/videosite/video', { id: `a'b"c` });
  expect(curl?.text).toContain("'http://a.test/v1/videosite/video?id=a%27b%22c'");
  expect(python?.text).toContain(`params={"id":"a'b\\"c"}`);
});

it('shows a batch in three languages, with the key from the environment', () => {
  const snippets = batchSnippets('http://a.test', 'bat_1');
  expect(snippets.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
  for (const { text } of snippets) expect(text).toMatch(/GLEANER_API_KEY/);
});
