import { ancestorsOf, childElements, commonAncestor, contains } from '../page/dom.ts';
import { attributeOf, parentElement, selectElements, compileSelector, type TreeElement } from '@gleaner/html';
import { nameQuality } from '../page/names.ts';
import { itemPlaces } from '../places/list-places.ts';
import type { PageModel } from '../page/page-model.ts';
import { cssOf, type PathStep } from '../page/path.ts';
import { pathsTo } from '../candidates/structural.ts';
import type { WantedValue } from '../values/wanted.ts';

/** The known values of one row; null for an empty cell. */
export type KnownRow = Readonly<Record<string, WantedValue | null>>;

/** The known rows of a list by page; undefined where they are not known. */
export type RowsByPage = readonly (readonly KnownRow[] | undefined)[];

const CLIMB = 12;

/** The smallest elements that contain all known values of a row. */
function holdersOf(model: PageModel, row: KnownRow): TreeElement[] {
  const wanted = Object.values(row)
    .filter((value) => value !== null)
    .map((value) => itemPlaces(model, value).map(({ element }) => element))
    .toSorted((a, b) => a.length - b.length);
  const [rarest, ...rest] = wanted;
  if (rarest === undefined || wanted.some((places) => places.length === 0)) return [];
  const found = new Set<TreeElement>();
  for (const element of rarest) {
    for (const holder of [element, ...ancestorsOf(element, CLIMB)]) {
      if (!rest.every((places) => places.some((place) => contains(holder, place)))) continue;
      found.add(holder);
      break;
    }
  }
  // The values that are closest together are the row; others match by chance.
  return [...found].toSorted((a, b) => a.lastOrder - a.order - (b.lastOrder - b.order)).slice(0, 6);
}

function childToward(ancestor: TreeElement, inner: TreeElement): TreeElement {
  let at = inner;
  for (let up = parentElement(at); up !== null && up !== ancestor; up = parentElement(at)) at = up;
  return at;
}

/** The elements of the given rows on one page, each as large as possible without containing another row. */
export function findRows(model: PageModel, rows: readonly KnownRow[]): TreeElement[] | undefined {
  const holders = rows.map((row) => holdersOf(model, row));
  const [first, ...rest] = holders;
  if (first === undefined || holders.some((list) => list.length === 0)) return undefined;
  let best: { rows: TreeElement[]; size: number } | undefined;
  for (const start of first) {
    const chosen = [start];
    let top = start;
    for (const list of rest) {
      const candidates = list.filter(
        (item) => !chosen.some((other) => contains(other, item) || contains(item, other)),
      );
      let nearest: TreeElement | undefined;
      let common: TreeElement | undefined;
      for (const item of candidates) {
        const joined = commonAncestor(top, item);
        if (joined === undefined) continue;
        if (common === undefined || joined.lastOrder - joined.order < common.lastOrder - common.order) {
          nearest = item;
          common = joined;
        }
      }
      if (nearest === undefined || common === undefined) break;
      chosen.push(nearest);
      top = common;
    }
    if (chosen.length !== rows.length) continue;
    const size = top.lastOrder - top.order;
    if (best === undefined || size < best.size) best = { rows: widen(chosen), size };
  }
  return best?.rows;
}

/** Extends rows up to children of their common ancestor, unless groups of rows lie between. */
function widen(rows: readonly TreeElement[]): TreeElement[] {
  const [first, second] = rows;
  if (first === undefined || second === undefined) return [...rows];
  const common = rows.reduce<TreeElement | undefined>(
    (top, row) => (top === undefined ? undefined : commonAncestor(top, row)),
    first,
  );
  if (common === undefined) return [...rows];
  const widened = rows.map((row) => childToward(common, row));
  return new Set(widened).size === rows.length ? widened : [...rows];
}

/** The rows of a page: their elements and known values. */
export interface RowPage {
  readonly model: PageModel;
  readonly known: readonly KnownRow[];
  readonly rows: readonly TreeElement[];
}

export interface RowSource {
  readonly css: string;
  readonly quality: number;
  readonly count: number;
  readonly why: string;
}

/** Selectors that find all given rows and similar ones on every page, best first. */
export function rowSources(pages: readonly RowPage[]): RowSource[] {
  const found = new Map<string, RowSource>();
  for (const { rows } of pages) {
    const [first] = rows;
    if (first === undefined) continue;
    const parent = parentElement(first);
    const paths = pathsTo(first).map(({ path, quality, family }) => ({
      path: path.map((part): PathStep => ({ ...part, nth: undefined })),
      quality,
      family,
    }));
    if (parent !== null) {
      for (const { path, quality, family } of pathsTo(parent)) {
        const child: PathStep = { axis: 'child', tag: first.localName, tests: [] };
        paths.push({ path: [...path, child], quality: quality * 0.97, family });
        for (const name of (attributeOf(first, 'class') ?? '').split(/\s+/)) {
          if (name === '' || nameQuality(name) < 0.3) continue;
          const test = { attribute: 'class', value: name, match: 'token' as const };
          paths.push({ path: [...path, { ...child, tests: [test] }], quality: quality * 0.98, family });
        }
      }
    }
    for (const { path, quality, family } of paths) {
      const css = cssOf(path);
      if (css.length > 400 || found.has(css)) continue;
      const source = judgeRows(css, quality * (family === 'position' ? 0.8 : 1), pages);
      if (source !== undefined) found.set(css, source);
    }
  }
  return [...found.values()].toSorted((a, b) => b.quality - a.quality);
}

function judgeRows(css: string, quality: number, pages: readonly RowPage[]): RowSource | undefined {
  const list = compileSelector(css);
  let alike = 1;
  let total = 0;
  for (const { model, rows } of pages) {
    const [first] = rows;
    if (first === undefined) continue;
    const matches = selectElements(list, model.document, null, 3_000);
    const all = new Set(matches);
    if (!rows.every((row) => all.has(row))) return undefined;
    const parent = parentElement(first);
    const siblings =
      parent === null
        ? 1
        : childElements(parent).filter(({ localName }) => localName === first.localName).length;
    const inside = matches.filter((item) => parentElement(item) === parent).length;
    // Matches inside a row are not rows; matches elsewhere are further rows.
    const nested = matches.some((item, index) => index > 0 && contains(matches[index - 1] ?? item, item));
    if (nested) return undefined;
    alike *= 0.5 + 0.5 * (inside / Math.max(1, matches.length));
    alike *= 0.7 + 0.3 * Math.min(1, inside / Math.max(1, siblings));
    total += matches.length;
  }
  // The rows of a table are what they are called.
  const isTable = pages.every(({ rows }) => rows[0]?.localName === 'tr');
  const share = quality * alike;
  return {
    css,
    quality: isTable ? share + (1 - share) * 0.3 : share,
    count: total,
    why: `the rows are ${css}`,
  };
}
