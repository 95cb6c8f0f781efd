import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { compileParser, extract } from '@gleaner/extractors';
import { launchChromium, type Browser, type Page } from '@gleaner/fetching/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { clickColumn, findWrongClicks, openPicker } from './clicks.ts';
import { NAMES, randomList } from './random-list.ts';

/** What a click makes reads the clicked element: in Chromium, where it is made, and in the engine, which runs it. */

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await openPicker(browser);
});
afterAll(() => browser.close());

it('a click on an optional value of a list reads it there, and nothing in rows that lack it', async () => {
  for (let seed = 1; seed <= (inject('isLong') ? 400 : 40); seed += 1) {
    const { html, rows } = randomList(seed);
    const [first = '', second = ''] = rows.map(({ title }) => title ?? '');
    for (const name of NAMES) {
      const text = rows.findLast((row) => row[name] !== null)?.[name] ?? '';
      const schema = await clickColumn(page, html, { first, second, text });
      const extraction = schema && extract(compileParser(schema), { body: html });
      const read = extraction?.ok ? extraction.data['rows'] : undefined;
      expect(read, `seed ${seed}: ${name} by ${JSON.stringify(schema)} of ${html}`).toEqual(
        rows.map((row) => ({ value: row[name] })),
      );
    }
  }
});

const SHARED = process.env['GLEANER_TEST_DATA'];
const RECORDED =
  SHARED === undefined || !existsSync(SHARED)
    ? []
    : globSync(['wrappers/*/*.htm', 'pages/*.html', 'content/pages/*.html.gz'], { cwd: SHARED }).toSorted();

/** One of so many recorded pages is clicked on in the short form. */
const SHARE = 12;

function readRecorded(path: string): string {
  const bytes = readFileSync(join(SHARED ?? '', path));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

it.skipIf(RECORDED.length === 0)(
  'a click on recorded pages reads the clicked element, alone and in its list',
  { meta: { missing: 'recorded pages: GLEANER_TEST_DATA names their folder' } },
  async () => {
    // Each page takes half a second.
    const some = RECORDED.filter((_, index) => inject('isLong') || index % SHARE === 0);
    for (const [index, path] of some.entries())
      expect(await findWrongClicks(page, readRecorded(path), { seed: index + 1, count: 12 }), path).toEqual(
        [],
      );
  },
);
