import { ancestorsOf, childElements, contains } from '../page/dom.ts';
import {
  attributeOf,
  isElement,
  parentElement,
  textOf,
  type PageDocument,
  type TreeElement,
} from '@gleaner/html';
import { nameQuality } from '../page/names.ts';
import type { PageModel } from '../page/page-model.ts';
import { cellGrid, rowsOf } from '@gleaner/extractors/parts';
import type { KnownRow } from './rows.ts';
import { isTelling } from '../values/shape.ts';
import { fold } from '../page/text.ts';

/** Finds the repeated records of a page and their columns without user input. */

/** `Date Posted:` → `date_posted`; undefined when the text can't name a field. */
export function fieldName(words: string): string | undefined {
  const name = words
    .normalize('NFKD')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .slice(0, 40);
  return /^[a-z]/.test(name) ? name : undefined;
}

interface Records {
  readonly rows: TreeElement[];
  readonly score: number;
}

/** @param most how many of the element's classes count */
function signature(element: TreeElement, most = 1): string {
  const classes = (attributeOf(element, 'class') ?? '')
    .split(/\s+/)
    .filter((name) => nameQuality(name) >= 0.5);
  return `${element.localName}.${classes.slice(0, most).join('.')}`;
}

const OUTSIDE = new Set(['nav', 'footer', 'header', 'select', 'head', 'thead']);

/** The groups of siblings with the same structure and several texts each, the largest first. */
export function recordGroups(model: PageModel): TreeElement[][] {
  const found: Records[] = [];
  for (const parent of model.document.elements) {
    if (OUTSIDE.has(parent.localName)) continue;
    for (const rows of Map.groupBy(childElements(parent), (row) => signature(row)).values()) {
      if (rows.length < 3) continue;
      const sample = rows.slice(0, 12);
      const texts = sample.map((row) => slotsOf(row).size);
      const full = texts.filter((count) => count >= 2).length / sample.length;
      const mean = texts.reduce((sum, count) => sum + Math.min(8, count), 0) / sample.length;
      if (full < 0.6 || mean < 2) continue;
      const length =
        sample.reduce((sum, row) => sum + Math.min(600, fold(textOf(model.document, row)).length), 0) /
        sample.length;
      const score = Math.min(rows.length, 40) ** 0.7 * mean * Math.log2(2 + length);
      found.push({ rows, score });
    }
  }
  return found.toSorted((a, b) => b.score - a.score).map(({ rows }) => rows);
}

/** The table's head: its `<thead>`, or the rows before the first with a `<td>`. */
function headRows(rows: readonly TreeElement[]): number {
  const inHead = rows.findLastIndex((row) => parentElement(row)?.localName === 'thead') + 1;
  if (inHead > 0) return inHead;
  const first = rows.findIndex((row) => childElements(row).some(({ localName }) => localName !== 'th'));
  return Math.max(0, first);
}

/** The names of a row's cells: the headers of its table; none outside of tables. A cell over several columns names each. */
function headersOf(document: PageDocument, row: TreeElement): ReadonlyMap<TreeElement, string> {
  const names = new Map<TreeElement, string>();
  if (row.localName !== 'tr') return names;
  const cells = childElements(row);
  if (cells.map(({ localName }) => localName).join(' ') === 'th td') {
    for (const [index, cell] of cells.entries()) names.set(cell, index === 0 ? 'name' : 'value');
    return names;
  }
  const table = ancestorsOf(row).find(({ localName }) => localName === 'table');
  const rows = table === undefined ? [] : rowsOf(table);
  const head = headRows(rows);
  const y = rows.indexOf(row);
  if (y < head || head === 0) return names;
  const grid = cellGrid([...rows.slice(0, head), row]) ?? [];
  for (const [x, cell] of (grid[head] ?? []).entries()) {
    if (cell === undefined || names.has(cell)) continue;
    const above = grid.slice(0, head).flatMap((line) => line[x] ?? []);
    names.set(cell, [...new Set(above)].map((header) => fold(textOf(document, header))).join(' '));
  }
  return names;
}

/** The position of a value in a row: names of elements and classes from the row down, and the part that is read. */
interface Slot {
  readonly name: string;
  readonly value: string;
}

function slotName(element: TreeElement, attribute: string | undefined, value: string): string {
  const classes = (attributeOf(element, 'class') ?? '').split(/\s+/);
  const named = classes.filter((part) => nameQuality(part) >= 0.8);
  // `price price--old`: the longer name says more.
  const own =
    attributeOf(element, 'itemprop') ??
    named.find((part) => part !== named[0] && part.startsWith(named[0] ?? part)) ??
    named[0];
  if (attribute === 'src') return 'image';
  if (attribute === 'href') return 'url';
  if (own !== undefined && own !== '') return own;
  if (/^h[1-6]$/.test(element.localName)) return 'title';
  if (element.localName === 'time') return 'date';
  if (/^[^\d]{0,4}[$€£¥₹]\s?\d|\d\s?[€£]$/.test(value)) return 'price';
  if (isTelling(value) && /\d{4}/.test(value) && /[/.-]/.test(value)) return 'date';
  const parent = parentElement(element);
  const outer =
    parent === null
      ? undefined
      : (attributeOf(parent, 'class') ?? '').split(/\s+/).find((part) => nameQuality(part) >= 0.9);
  return outer ?? (element.localName === 'a' ? 'title' : 'text');
}

const MOST_CLASSES = 4;

/** @param headers the names of the row's cells, if its table has them */
function slotsOf(row: TreeElement, headers: ReadonlyMap<TreeElement, string> = new Map()): Map<string, Slot> {
  const slots = new Map<string, Slot>();
  const headerOf = (element: TreeElement): string | undefined => {
    const [, header] = [...headers].find(([cell]) => contains(cell, element)) ?? [];
    return header === undefined || fieldName(header) === undefined ? undefined : header;
  };
  const walk = (element: TreeElement, path: string, depth: number): void => {
    if (depth > 8 || slots.size > 20 || element.localName === 'script' || element.localName === 'style')
      return;
    const counts = new Map<string, number>();
    const alike = Map.groupBy(childElements(element), (child) => signature(child));
    let own = '';
    for (let node = element.first; node !== null; node = node.next) {
      if (isElement(node)) {
        // Neighbours of one class differ by their others: `price` and `price old`.
        const isAlone = alike.get(signature(node))?.length === 1;
        const key = signature(node, isAlone ? 1 : MOST_CLASSES);
        const nth = (counts.get(key) ?? 0) + 1;
        counts.set(key, nth);
        walk(node, `${path}/${key}${nth > 1 ? `[${nth}]` : ''}`, depth + 1);
      } else if ('data' in node && node.nodeType === 3) own += node.data;
    }
    const text = fold(own);
    if (text !== '' && /[\p{L}\p{N}]/u.test(text))
      slots.set(path, { name: headerOf(element) ?? slotName(element, undefined, text), value: text });
    for (const attribute of ['href', 'src']) {
      const value = attributeOf(element, attribute);
      if (
        value === undefined ||
        value === '' ||
        value.startsWith('#') ||
        value.startsWith('javascript:') ||
        value.startsWith('data:')
      )
        continue;
      if ((attribute === 'href') === (element.localName === 'a'))
        slots.set(`${path}@${attribute}`, { name: slotName(element, attribute, value), value });
    }
  };
  walk(row, '', 0);
  return slots;
}

/** Two records of a group as examples. The columns are the positions that most records have. */
export function recordExamples(
  document: PageDocument,
  group: readonly TreeElement[],
): KnownRow[] | undefined {
  const rows = group.slice(0, 20);
  const slots = rows.map((row) => slotsOf(row, headersOf(document, row)));
  const counts = new Map<string, { count: number; name: string; values: Set<string> }>();
  for (const row of slots) {
    for (const [path, { name, value }] of row) {
      const known = counts.get(path) ?? { count: 0, name, values: new Set<string>() };
      known.count += 1;
      known.values.add(value);
      counts.set(path, known);
    }
  }
  const columns = new Map<string, string>();
  for (const [path, { count, name, values }] of counts) {
    // A text that is equal in every row is a label or a button.
    if (count < 0.5 * rows.length || values.size < 2 || columns.size >= 10) continue;
    const base = fieldName(name) ?? 'text';
    let unique = base;
    for (let suffix = 2; columns.has(unique); suffix += 1) unique = `${base}_${suffix}`;
    columns.set(unique, path);
  }
  const complete = slots.filter((row) => [...columns.values()].every((path) => row.has(path)));
  const chosen = (complete.length >= 2 ? complete : slots).slice(0, 2);
  if (columns.size < 1 || chosen.length < 2) return undefined;
  return chosen.map((row) =>
    Object.fromEntries([...columns].map(([name, path]) => [name, row.get(path)?.value ?? null])),
  );
}
