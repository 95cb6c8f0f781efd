import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findDeadPaths } from '../../scripts/docs/doc-rules.ts';

const root = join(import.meta.dirname, '..', '..');

it('accepts paths that exist, with globs and placeholders', () => {
  const page =
    '`scripts/run.mjs`, `apps/<app>/package.json`, `packages/*/src/`, [map](../README.md#map), `npm start`';
  expect(findDeadPaths(root, 'docs/x.md', page)).toEqual([]);
});

it('names what a page cites that is gone', () => {
  const page = 'See `packages/gone/src/x.ts` and [this](./gone.md).\n```\n`packages/in-code-block.ts`\n```\n';
  expect(findDeadPaths(root, 'docs/x.md', page)).toEqual([
    'docs/x.md: links to ./gone.md, which does not exist',
    'docs/x.md: cites packages/gone/src/x.ts, which does not exist',
  ]);
});
