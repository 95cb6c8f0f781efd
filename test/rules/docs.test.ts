import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  findDeadCitations,
  findDeadPaths,
  findLooseSnippets,
  findUnreachablePages,
  findVersionFaults,
} from '../../scripts/docs/doc-rules.ts';

const root = join(import.meta.dirname, '..', '..');

it('accepts paths that exist, with globs and placeholders', () => {
  const page =
    '`scripts/run.mjs`, `apps/<app>/package.json`, `packages/*/src/`, [map](../README.md#three-commands), `npm start`, [here](#a-heading--of-it)\n## A heading – of `it`';
  expect(findDeadPaths(root, 'docs/x.md', page)).toEqual([]);
});

it('names what a page cites that is gone', () => {
  const page =
    'See `packages/gone/src/x.ts`, [this](./gone.md) and [that](../README.md#gone).\n```\n`packages/in-code-block.ts`\n```\n';
  expect(findDeadPaths(root, 'docs/x.md', page)).toEqual([
    'docs/x.md: links to ./gone.md, which does not exist',
    'docs/x.md: links to ../README.md#gone, which is no heading',
    'docs/x.md: cites packages/gone/src/x.ts, which does not exist',
  ]);
});

it('names what comments and texts of code cite that is gone', () => {
  const code = [
    '// See scripts/run.mjs, scripts/gone.ts and packages/*/src/index.ts.',
    "const path = 'scripts/not-a-comment.ts';",
    "const text = 'as docs/README.md and docs/gone.md say';",
    '/* docs/README.md#gone */',
  ].join('\n');
  expect(findDeadCitations(root, 'packages/x/src/x.ts', () => code)).toEqual([
    'packages/x/src/x.ts: cites scripts/gone.ts, which does not exist',
    'packages/x/src/x.ts: cites docs/gone.md, which does not exist',
    'packages/x/src/x.ts: cites docs/README.md#gone, which is no heading',
  ]);
});

it('names pages that no chain of links from the index reaches', () => {
  const pages = new Map([
    ['docs/README.md', '[use](use/a.md)'],
    ['docs/use/a.md', '[b](../build/b.md#x)'],
    ['docs/build/b.md', ''],
    ['docs/build/alone.md', '[index](../README.md)'],
    ['packages/x/README.md', ''],
  ]);
  expect(findUnreachablePages(pages)).toEqual([
    'docs/build/alone.md: no link from docs/README.md leads to it',
  ]);
});

it('names versions that were never released, and numbers that mean nothing', () => {
  const changelog = (first: string) => `## ${first}\n## 0.1.0 (2026-11-23)\n`;
  const check = (first: string, version: string, page = 'since v0.1.0') =>
    findVersionFaults(
      new Map([
        ['CHANGELOG.md', changelog(first)],
        ['docs/a.md', page],
      ]),
      new Map([
        ['package.json', version],
        ['packages/client/package.json', '0.2.0-dev'],
      ]),
    ).length;
  expect(check('Unreleased', '0.2.0-dev')).toBe(0);
  expect(check('Unreleased', '0.2.0-dev', 'check out v0.2.0')).toBe(1);
  expect(check('Unreleased', '0.3.0-dev')).toBe(2);
  expect(check('Unreleased', '0.2.0')).toBe(2);
  expect(check('0.2.0 (2026-12-01)', '0.2.0-dev')).toBe(2);
});

it('names snippets that a reader can’t paste', () => {
  const page = (...lines: string[]) => ['```sh', ...lines, '```', ''].join('\n');
  expect(findLooseSnippets('a.md', page('api GET /v1/credits'))).toEqual([
    'a.md: calls api in a snippet without defining it',
  ]);
  expect(findLooseSnippets('a.md', page('api GET /', 'api() { curl "$1"; }'))).toHaveLength(1);
  expect(findLooseSnippets('a.md', page('api() { curl "$1"; }', 'api GET /'))).toEqual([]);
  expect(findLooseSnippets('a.md', page('curl "$GLEANER_URL/v1"'))).toHaveLength(1);
  expect(
    findLooseSnippets('a.md', `[key](api.md#address-and-key)\n${page('curl "$GLEANER_URL/v1"')}`),
  ).toEqual([]);
});
