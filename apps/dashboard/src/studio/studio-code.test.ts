import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { parserSnippets, schemaSnippets } from './studio-code.ts';

const HOSTILE = [
  `https://evil.example/'+(globalThis.ran='yes')+'`,
  `https://evil.example/"+(globalThis.ran='yes')+"`,
  'https://evil.example/`touch ran`$(touch ran)\'$(touch ran)\'"$(touch ran)"',
  'https://evil.example/\n$(touch ran)\u2028\u202E\u009B\\',
];
const ORIGIN = 'http://g.example';

/** What the commands of the code get as arguments. */
function runShell(code: string): string[] {
  const print = '() { for word; do printf "%s\\0" "$word"; done; }';
  const stubs = `curl${print}\nnpm${print}\ntouch() { printf 'ran\\0'; }\ncat() { :; }\n`;
  const script = stubs + code.replaceAll('cat > schema.json', 'cat');
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
}

it.each(HOSTILE)('an address stays a text in every copied language: %j', (url) => {
  const snippets = parserSnippets(ORIGIN, 'prs_1', url);
  const script = (snippets['TypeScript'] ?? '').replace(/^import.*$/m, '').replace('await ', '');
  const asked: string[] = [];
  const run = Reflect.construct(Function, ['process', 'createClient', script]) as (
    ...given: unknown[]
  ) => void;
  run({ env: {} }, () => ({ scrape: (_: string, page: string) => asked.push(page) }));
  expect(asked).toEqual([url]);
  expect('ran' in globalThis).toBe(false);
  expect(runShell(snippets['curl'] ?? '')).toContain(
    `${ORIGIN}/v1/scrape/prs_1?url=${encodeURIComponent(url)}`,
  );
  // A JSON text is a literal of Python.
  const [, literal = ''] = /"url": (".*")\}/.exec(snippets['Python'] ?? '') ?? [];
  expect(JSON.parse(literal)).toBe(url);
  for (const text of Object.values(snippets)) expect(text).not.toMatch(/[\u0080-\u009F\u2028\u202E]/);
});

it.each(HOSTILE)('a name from a page stays a text in the copied schema: %j', (text) => {
  const draft = { fields: { [text]: { css: text } } };
  const snippets = schemaSnippets(ORIGIN, draft, text);
  const words = runShell(snippets['curl'] ?? '');
  expect(words).not.toContain('ran');
  const body = words.find((word) => word.startsWith('{')) ?? '';
  expect(JSON.parse(body)).toEqual({ schema: draft, url: text });
  const shell = runShell(snippets['Command line'] ?? '');
  expect(shell).toContain(text);
  expect(shell).not.toContain('ran');
});
