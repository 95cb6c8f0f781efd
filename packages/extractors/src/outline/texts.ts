import { ancestorsOf, readTextOf, type TreeElement } from '../suggest/page/dom.ts';
import type { PageModel } from '../suggest/page/page-model.ts';
import { fold } from '../suggest/page/text.ts';
import { clip } from './clip.ts';
import type { SelectorFinder } from './selectors.ts';
import type { HeadingOutline, ValueOutline } from './types.ts';

const MAX_HEADINGS = 60;
const MAX_VALUES = 40;
/** Texts that a selector is looked for. */
const MAX_TRIES = 200;
const TEXT_LENGTH = 140;
/** A selector of a value should name its meaning: an id, a property, a telling class. */
const VALUE_QUALITY = 0.6;

const MENUS = new Set(['nav', 'footer', 'select', 'head', 'noscript', 'svg']);

export function headingsOf(model: PageModel, find: SelectorFinder): HeadingOutline[] {
  const { document } = model;
  return document.elements
    .filter(({ localName }) => /^h[1-6]$/.test(localName))
    .map((element) => ({ element, text: fold(readTextOf(document, element)) }))
    .filter(({ text }) => text !== '')
    .slice(0, MAX_HEADINGS)
    .map(({ element, text }) => ({
      level: Number(element.localName.slice(1)),
      text: clip(text, TEXT_LENGTH),
      selector: find(element, 0.3) ?? null,
    }));
}

/** Single texts outside the repeated records, each with a telling selector that the page matches once. */
export function valuesOf(
  model: PageModel,
  rows: readonly TreeElement[],
  find: SelectorFinder,
): ValueOutline[] {
  const values = new Map<string, ValueOutline>();
  const seen = new Set<TreeElement>();
  const repeated = new Set(rows);
  for (const { parent } of model.texts) {
    if (values.size >= MAX_VALUES || seen.size >= MAX_TRIES) break;
    if (seen.has(parent) || MENUS.has(parent.localName)) continue;
    const around = ancestorsOf(parent);
    if ([parent, ...around].some((element) => repeated.has(element))) continue;
    if (around.some(({ localName }) => MENUS.has(localName))) continue;
    seen.add(parent);
    const selector = find(parent, VALUE_QUALITY);
    const sample = fold(readTextOf(model.document, parent));
    if (selector === undefined || !/[\p{L}\p{N}]/u.test(sample)) continue;
    values.set(selector, { selector, sample: clip(sample, TEXT_LENGTH) });
  }
  return [...values.values()];
}
