import { expect, it } from 'vitest';
import { countInputs, withoutRefused, type InputCount } from './count-inputs.ts';

async function count(text: string, checksUrls = true): Promise<InputCount | undefined> {
  let last: InputCount | undefined;
  const { signal } = new AbortController();
  for await (const next of countInputs(new Blob([text]), { checksUrls, signal })) last = next;
  return last;
}

it('counts addresses and names the lines that are none', async () => {
  expect(await count('https://a.example/1\n\nnot one\r\nhttp://b.example/é\nftp://c.example')).toEqual({
    lines: 4,
    refused: 2,
    examples: [
      { line: 3, text: 'not one' },
      { line: 5, text: 'ftp://c.example' },
    ],
    isDone: true,
  });
});

it('takes the header of a CSV for none of its lines', async () => {
  expect(await count('id,url\n1,https://a.example/1\n2,https://a.example/2\n')).toMatchObject({
    lines: 2,
    refused: 0,
  });
});

it('leaves objects to the server', async () => {
  expect(await count('{"url": "https://a.example"}\n"https://b.example"')).toMatchObject({
    lines: 2,
    refused: 0,
  });
  expect(await count('anything', false)).toMatchObject({ lines: 1, refused: 0 });
});

it('leaves out the refused lines, and keeps the others as they are', () => {
  expect(withoutRefused('https://a.example/1\nnot one\n\nhttp://b.example/2')).toBe(
    'https://a.example/1\n\nhttp://b.example/2',
  );
  const csv = 'id,url\n1,https://a.example/1';
  expect(withoutRefused(csv)).toBe(csv);
});
