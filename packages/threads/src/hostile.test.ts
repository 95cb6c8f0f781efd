import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ParserSchema } from '@gleaner/contracts';
import { HOSTILE_NAMES, hostilePage } from '@gleaner/extractors/testing/hostile-pages';
import { createExtractionPool, type ExtractionPool } from './index.ts';

/** Uses every costly feature: counts over all elements, embedded data, tables, nested rows. */
const SCHEMA: ParserSchema = {
  fields: {
    title: 'title',
    all: { css: 'td, p, i, b', take: 'count' },
    html: { css: 'div', type: 'html' },
    children: { css: '* > *', take: 'count' },
    siblings: { css: 'i ~ i ~ i:nth-of-type(2n)', take: 'count' },
    has: { css: '*:has(~ b u)', take: 'count' },
    contains: { css: 'p:contains("zzz")', take: 'count' },
    jsonld: { jsonld: '$..a', take: 'all', type: 'json' },
    microdata: { microdata: '$[0].a', take: 'all', type: 'json' },
    state: { json: { script: String.raw`/window\.x =/`, path: '$.a' } },
    script: { json: { script: 'script', path: '$.a' } },
    description: { meta: 'description' },
    link: { css: 'a', type: 'url' },
    table: { css: '#t', type: 'table' },
  },
};

/** The API accepts 16 MB; the tests use less by default. */
const MEGABYTES = inject('isLong') ? 16 : 3;

/**
 * The limit on CPU seconds per page, with those of the garbage collector's threads. Unlike wall-clock time, CPU time hardly
 * grows on a loaded machine.
 */
const CPU_SECONDS = 8;

describe(`hostile pages of ${MEGABYTES} MB`, () => {
  let pool: ExtractionPool;
  beforeAll(() => {
    pool = createExtractionPool({ threads: 1, timeoutMs: 100_000 });
  });
  afterAll(() => pool.close());

  it.each(HOSTILE_NAMES)('%s: ends quickly with data or a rejection', async (name) => {
    const body = new Uint8Array(Buffer.from(hostilePage(name, MEGABYTES * 1024 * 1024)));
    const before = process.cpuUsage();
    const result = await pool.extractJson({ parserKey: 'hostile', schema: SCHEMA, page: { body } });
    const { user, system } = process.cpuUsage(before);
    expect(result.ok || result.failure.code, JSON.stringify(result).slice(0, 300)).toSatisfy(
      (outcome) => outcome === true || outcome === 'html_rejected' || outcome === 'extraction_failed',
    );
    expect((user + system) / 1e6).toBeLessThan(CPU_SECONDS);
    expect(pool.stats()).toMatchObject({ deaths: 0 });
  });
});
