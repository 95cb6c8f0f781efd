import { cutText } from '@gleaner/contracts/text';
import { once } from '../suggest/page/once.ts';
import { compileSelector, selectElements, type TreeElement, readTextOf } from '@gleaner/html';
import type { PageModel } from '../suggest/page/page-model.ts';
import { cssOf } from '../suggest/page/path.ts';
import { pathsTo } from '../suggest/candidates/structural.ts';
import { dataLeaves, type DataLeaf, jsonPathOf } from '../suggest/candidates/data.ts';
import { ancestorsOf } from '../suggest/page/dom.ts';
import { fold } from '../suggest/page/text.ts';

/** The text with at most this many UTF-16 units; a shortened one ends with an ellipsis. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${cutText(text, Math.max(0, length - 1))}…`;
}

/** Characters of the value as JSON. */
export function jsonSize(value: unknown): number {
  return (JSON.stringify(value) ?? '').length;
}

const MAX_SELECTORS = 6;
const MAX_SELECTOR = 200;

/** Finds selectors that match one element of the page; each selector runs once. */
export type SelectorFinder = (element: TreeElement, leastQuality: number) => string | undefined;

export function createSelectorFinder({ document }: PageModel): SelectorFinder {
  const known = new Map<string, readonly TreeElement[]>();
  const matchesOf = (css: string): readonly TreeElement[] =>
    once(known, css, () => selectElements(compileSelector(css), document, null, 2));
  return (element, leastQuality) =>
    pathsTo(element)
      .filter(({ quality, family }) => quality >= leastQuality && family !== 'position')
      .toSorted((a, b) => b.quality - a.quality)
      .slice(0, MAX_SELECTORS)
      .map(({ path }) => cssOf(path))
      .find((css) => {
        if (css.length > MAX_SELECTOR) return false;
        const matches = matchesOf(css);
        return matches.length === 1 && matches[0] === element;
      });
}

const MAX_ROOTS = 12;
const MAX_KEYS = 30;
const DATA_LENGTH = 100;

/** The page's JSON-LD, microdata and embedded JSON: paths and sample values; of a list, its first element. */
export function dataOf(model: PageModel) {
  const found = new Map<DataLeaf['root'], Map<string, string>>();
  for (const { root, path, raw } of dataLeaves(model)) {
    if (!found.has(root) && found.size >= MAX_ROOTS) break;
    const values = once(found, root, () => new Map<string, string>());
    if (values.size >= MAX_KEYS || path.some((part) => typeof part === 'number' && part > 0)) continue;
    values.set(clip(jsonPathOf(path), 200), clip(raw, DATA_LENGTH));
  }
  return [...found].map(([{ kind, script = null, path }, values]) => ({
    kind,
    script,
    path,
    values: Object.fromEntries(values),
  }));
}

const MAX_HEADINGS = 60;
const MAX_VALUES = 40;
/** Texts that a selector is looked for. */
const MAX_TRIES = 200;
const TEXT_LENGTH = 140;
/** A selector of a value should name its meaning: an id, a property, a telling class. */
const VALUE_QUALITY = 0.6;

const MENUS = new Set(['nav', 'footer', 'select', 'head', 'noscript', 'svg']);

export function headingsOf(model: PageModel, find: SelectorFinder) {
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
): { selector: string; sample: string }[] {
  const values = new Map<string, string>();
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
    values.set(selector, clip(sample, TEXT_LENGTH));
  }
  return [...values].map(([selector, sample]) => ({ selector, sample }));
}
