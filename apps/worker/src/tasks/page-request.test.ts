import type { ParserSchema } from '@gleaner/contracts';
import { toUnsavedParser } from '@gleaner/core';
import { describe, expect, it } from 'vitest';
import { toPageRequest } from './execute-task.ts';

type Run = Parameters<typeof toPageRequest>[1];

function readsPdf(fields: ParserSchema['fields'] | undefined): boolean | undefined {
  const run = { attempts: 'none', deadlineAt: 0, accountId: 'acc_test' } as unknown as Run;
  const parser = fields && toUnsavedParser({ fields });
  return toPageRequest({ input: { url: 'https://a.example/x.pdf' }, config: {} }, run, parser).readsPdf;
}

describe('a PDF is a page', () => {
  it.each(['text', 'markdown', 'title', 'pages'] as const)('for a parser with the fact %s', (page) => {
    expect(readsPdf({ v: { page } })).toBe(true);
    expect(readsPdf({ rows: { css: 'tr', fields: { v: { any: ['b', { page }] } } } })).toBe(true);
  });

  it('neither for selectors and other facts nor for a crawl that no route reads', () => {
    expect(readsPdf({ v: 'h1', links: { page: 'links' } })).toBe(false);
    expect(readsPdf(undefined)).toBe(false);
  });
});
