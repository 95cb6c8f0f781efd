import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/source-files.ts';

const RULE = {
  jsPlugins: [join(root, 'scripts', 'lint', 'top-level-functions.js')],
  categories: { correctness: 'off' },
  rules: { 'gleaner/no-copied-list': 'error' },
};

/** Numbers of the texts in which the rule finds a copy, each with the list's name. Each text is a file of its own. */
function findingsIn(texts: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-lint-'));
  try {
    writeFileSync(join(folder, 'config.json'), JSON.stringify(RULE));
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `${index + 1}.ts`), text);
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/oxlint/bin/oxlint'), '-c', 'config.json', '-f', 'unix'],
      { cwd: folder, encoding: 'utf8' },
    );
    if (stderr !== '') throw new Error(stderr);
    expect(stdout).not.toMatch(/\[Error\]$/m);
    return [...stdout.matchAll(/(\d+)\.ts:\d+:\d+: This copies (\w+)/g)].map(
      ([, line, name]) => `${line} ${name}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const COPIES: readonly [text: string, list: string][] = [
  ["const types = ['url', 'html', 'markdown'];", 'FIELD_TYPES'],
  ["const some = { page: ['url', 'final_url'] };", 'PAGE_FACTS'],
  [
    "const events = [{ value: 'job.finished', label: 'a' }, { value: 'credits.low', label: 'b' }];",
    'WEBHOOK_EVENTS',
  ],
  ["let mode: 'return' | 'database';", 'RESULT_MODES'],
  ["const over = state !== 'pending' && state !== 'running';", 'UNFINISHED_STATES'],
  ["const words = { skip: 'a', queue: 'b' };", 'OVERLAPS'],
  ["const words: Record<string, string> = { skip: 'a', queue: 'b' };", 'OVERLAPS'],
  ["switch (tier) { case 'premium': case 'hardcore': break; default: stop(); }", 'PROXY_TIERS'],
];

it('finds a copied list in each of its forms', () => {
  const found = findingsIn(COPIES.map(([text]) => text));
  expect(found.toSorted()).toEqual(COPIES.map(([, list], index) => `${index + 1} ${list}`));
});

it('allows what is checked against its type, and words that are no list of ours', () => {
  const texts = [
    "const dom = ['css', 'xpath'] as const satisfies readonly SourceKind[];",
    "const dom = new Set<SourceKind>(['css', 'xpath']);",
    "const words = { skip: 'a', queue: 'b' } satisfies Record<Overlap, string>;",
    "const isCounted = take === 'count' || take === 'exists';",
    "const scalars = ['string', 'number', 'boolean'];",
    "const sides = ['left', 'right'];",
    "switch (tier) { case 'premium': case 'hardcore': break; }",
  ];
  expect(findingsIn(texts)).toEqual([]);
});
