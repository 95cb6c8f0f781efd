import { join } from 'node:path';
import { compileParser, extractFrom } from '@gleaner/extractors';
import type { Browser, Page } from '@gleaner/fetching/testing';
import type { ParserSchema } from '@gleaner/contracts';
import { PageRejected, parseHtml } from '@gleaner/html';
import { rolldown } from 'rolldown';

const STUDIO = join(import.meta.dirname, '../../apps/dashboard/src/studio');
/** What a click is made of, of the studio's own modules. */
const MODULES = ['picker/lists', 'picker/columns', 'picker/selectors', 'schema/matches'];

/** A selector of a click, and the clicked element by its place on the page. */
interface Click {
  place: string;
  selector: string | undefined;
  /** The list's rows, and which of them was clicked in. */
  list?: { rows: string; row: number } | undefined;
  /** Whether the browser's first match is the element. */
  isExact: boolean;
}

/** A page of the browser with the studio's picker in it, as the global `studio`. */
export async function openPicker(browser: Browser): Promise<Page> {
  const entry = '\0entry';
  const lines = MODULES.map((name) => `export * from '${join(STUDIO, name)}.ts';`);
  const bundle = await rolldown({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? lines.join('\n') : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'studio' });
  await bundle.close();
  const page = await browser.newPage();
  await page.addScriptTag({ content: output[0].code });
  return page;
}

interface Studio {
  suggestSelectors: (element: Element) => { selector: string }[];
  guessList: (first: Element, second: Element) => { rows: string } | undefined;
  findRepetition: (element: Element) => { rows: string } | undefined;
  columnsOf: (rows: Element[], targets: { row: Element; element: Element }[]) => { selector: string }[];
  queryAll: (root: ParentNode, selector: string) => Element[];
  select: (root: ParentNode, source: unknown) => Element[];
  sourceOf: (selector: string) => unknown;
}

/**
 * Clicks elements of a page at random: alone, in the list around them, and elsewhere in that list. It runs in the
 * browser and may use nothing from outside.
 */
function clickInBrowser({ html, seed, count }: { html: string; seed: number; count: number }): Click[] {
  const { suggestSelectors, findRepetition, columnsOf, queryAll, select, sourceOf } = Reflect.get(
    globalThis,
    'studio',
  ) as Studio;
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const source = new DOMParser().parseFromString(html, 'text/html');
  const placeOf = (element: Element): string => {
    const steps: string[] = [];
    for (let node: Element | null = element; node?.parentElement; node = node.parentElement)
      steps.unshift(`:nth-child(${[...node.parentElement.children].indexOf(node) + 1})`);
    return ['html', ...steps].join(' > ');
  };
  const all = [...source.body.querySelectorAll('*:not(script, style, template, noscript *, svg *, option)')];
  const clicks: Click[] = [];
  const inList = (rows: string, element: Element): void => {
    const found = queryAll(source, rows);
    const row = found.findIndex((one) => one.contains(element));
    const target = found[row];
    if (target === undefined) return;
    const [best] = columnsOf(found, [{ row: target, element }]);
    const isExact = best !== undefined && queryAll(target, best.selector)[0] === element;
    clicks.push({ place: placeOf(element), selector: best?.selector, list: { rows, row }, isExact });
  };
  for (let turn = 0; turn < count && all.length > 0; turn += 1) {
    const element = all[random(all.length)];
    if (element === undefined) continue;
    const [best] = suggestSelectors(element);
    const isExact = best !== undefined && select(source, sourceOf(best.selector))[0] === element;
    clicks.push({ place: placeOf(element), selector: best?.selector, isExact });
    const list = findRepetition(element);
    if (list === undefined) continue;
    inList(list.rows, element);
    const rows = queryAll(source, list.rows);
    const inside = rows[random(rows.length)]?.querySelectorAll('*:not(svg *, option, script)') ?? [];
    const other = inside[random(inside.length)];
    if (other) inList(list.rows, other);
  }
  return clicks;
}

/** What the engine reads with a click's selector and at the clicked place, as HTML. */
function readBoth(document: ReturnType<typeof parseHtml>, { place, selector = '', list }: Click) {
  const kind = selector.startsWith('/') ? 'xpath' : 'css';
  const value = { [kind]: selector, type: 'html' } as { css: string; type: 'html' };
  const fields: ParserSchema['fields'] = {
    place: { css: place, type: 'html' },
    value: list === undefined ? value : { css: list.rows, take: 'all', fields: { value } },
  };
  const extraction = extractFrom(compileParser({ fields }), document, { body: '' });
  if (!extraction.ok) throw new Error(extraction.failure.detail);
  const { data } = extraction;
  const rows = data['value'] as { value: unknown }[];
  return { place: data['place'], value: list === undefined ? data['value'] : rows[list.row]?.value };
}

/** The clicks of a page that read something else; those at places that the engine's tree lacks are left out. */
export async function findWrongClicks(
  page: Page,
  html: string,
  { seed, count }: { seed: number; count: number },
): Promise<unknown[]> {
  let document;
  try {
    document = parseHtml(html);
  } catch (error) {
    if (error instanceof PageRejected) return [];
    throw error;
  }
  const clicks = await page.evaluate(clickInBrowser, { html, seed, count });
  return clicks.flatMap((click): unknown[] => {
    if (!click.isExact) return [click];
    // The engine refuses selectors of more parts; the clicked place is the test's own.
    if (click.place.split(' > ').length > 40) return [];
    const read = readBoth(document, click);
    return read.place === null || read.place === read.value ? [] : [{ ...click, ...read }];
  });
}

interface ListClick {
  /** The texts that are clicked: two to make the list, then the wanted column. */
  first: string;
  second: string;
  text: string;
}

/** The schema of a list that two clicks make, with the column of a third; undefined where one makes none. */
export async function clickColumn(
  page: Page,
  html: string,
  click: ListClick,
): Promise<ParserSchema | undefined> {
  const made = await page.evaluate(clickColumnInBrowser, { html, ...click });
  return made && { fields: { rows: { css: made.rows, take: 'all', fields: { value: made.column } } } };
}

function clickColumnInBrowser({
  html,
  first,
  second,
  text,
}: ListClick & { html: string }): { rows: string; column: string } | undefined {
  const { guessList, columnsOf, queryAll } = Reflect.get(globalThis, 'studio') as Studio;
  const source = new DOMParser().parseFromString(html, 'text/html');
  const all = [...source.body.querySelectorAll('*')];
  const [one, two, wanted] = [first, second, text].map((wantedText) =>
    all.findLast(({ textContent }) => textContent === wantedText),
  );
  const list = one && two && guessList(one, two);
  const rows = list && queryAll(source, list.rows);
  const row = rows?.find((inner) => wanted && inner.contains(wanted));
  const [best] = rows && row && wanted ? columnsOf(rows, [{ row, element: wanted }]) : [];
  return list && best && { rows: list.rows, column: best.selector };
}
