import { parseArgs } from 'node:util';
import { compileParser, extract } from '@gleaner/extractors';
import { findChromium } from '@gleaner/fetching';
import { chromium, type Page } from 'playwright';
import { readPages } from './pages.ts';

/** What both read of each page: elements large and small. */
const SELECTORS = 'body main article section div ul table tr p h1 h2 h3 li td a span pre blockquote'.split(
  ' ',
);

const PARSER = compileParser({
  fields: Object.fromEntries(
    SELECTORS.map((css) => [
      css,
      {
        css,
        take: 'all' as const,
        fields: { text: ':scope', raw: { css: ':scope', attr: 'raw_text' } },
      },
    ]),
  ),
});

/** Runs in the page. The pages' own stylesheets are taken away first when `isPlain` asks for it. */
function readInBrowser([selectors, isPlain]: [string[], boolean]): string[][] {
  const own = document.createElement('style');
  own.textContent = 'noscript { display: none !important }';
  if (isPlain) for (const element of document.querySelectorAll('style')) element.remove();
  document.head.append(own);
  return selectors.map((selector) =>
    Array.from(document.querySelectorAll(selector), (element) =>
      element instanceof HTMLElement ? element.innerText : '',
    ),
  );
}

/** What a reader wouldn't see: how many blanks and blank lines there are. */
function normal(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[ \n]*/g, '\n')
    .trim();
}

interface Row {
  text: string | null;
  raw: string | null;
}

function rowsOf(value: unknown): Row[] {
  return Array.isArray(value) ? (value as Row[]) : [];
}

interface Tally {
  answers: number;
  equal: number;
  /** `raw_text` equals it: what a reading by `textContent` gets right. */
  equalRaw: number;
  misses: string[];
}

async function compare(page: Page, isPlain: boolean): Promise<Tally> {
  const tally: Tally = { answers: 0, equal: 0, equalRaw: 0, misses: [] };
  for (const { name, body } of readPages()) {
    const html = new TextDecoder().decode(body);
    await page.setContent(html, { waitUntil: 'domcontentloaded' });
    const theirs = await page.evaluate(readInBrowser, [SELECTORS, isPlain] as [string[], boolean]);
    const ours = extract(PARSER, { body: html });
    for (const [index, selector] of SELECTORS.entries()) {
      const rows = rowsOf(ours.ok ? ours.data[selector] : undefined);
      const texts = theirs[index] ?? [];
      if (rows.length !== texts.length)
        tally.misses.push(`${name} ${selector}: ${rows.length} elements, Chromium ${texts.length}`);
      for (const [at, text] of texts.entries()) {
        tally.answers += 1;
        const wanted = normal(text);
        const got = normal(rows[at]?.text ?? '');
        if (got === wanted) tally.equal += 1;
        else
          tally.misses.push(
            `${name} ${selector}[${at}]\n  ours     ${JSON.stringify(got.slice(0, 300))}\n  Chromium ${JSON.stringify(wanted.slice(0, 300))}`,
          );
        if (normal(rows[at]?.raw ?? '') === wanted) tally.equalRaw += 1;
      }
    }
  }
  return tally;
}

function share(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(2)} %`;
}

/** How many of Chromium's `innerText` answers about the real pages the engine's text equals, but for blanks and blank lines. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { chromium: { type: 'string' }, misses: { type: 'string', default: '0' } },
  });
  const { path } = await findChromium({
    playwrightPath: chromium.executablePath(),
    ...(values.chromium === undefined ? {} : { executablePath: values.chromium }),
  });
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.route('**/*', (route) => route.abort());
    const plain = await compare(page, true);
    const styled = await compare(page, false);
    for (const miss of plain.misses.slice(0, Number(values.misses))) console.log(miss);
    for (const [what, { answers, equal, equalRaw }] of [
      ['without the pages’ stylesheets', plain],
      ['with those in the pages', styled],
    ] as const) {
      console.log(
        `${what}: ${equal} of ${answers} texts equal innerText (${share(equal, answers)}); textContent: ${share(equalRaw, answers)}`,
      );
    }
    console.log(
      JSON.stringify({
        bench: 'text',
        answers: plain.answers,
        agreement: plain.equal / plain.answers,
        agreementWithStyles: styled.equal / styled.answers,
        agreementOfTextContent: plain.equalRaw / plain.answers,
        met: plain.equal / plain.answers >= 0.99,
      }),
    );
  } finally {
    await browser.close();
  }
}
