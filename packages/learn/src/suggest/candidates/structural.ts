import { type Words, likeness, wordsOf } from '../page/names.ts';
import { once } from '../page/once.ts';
import type { SourceObject } from '@gleaner/extractors/parts';
import { candidate, type Candidate, type Family } from './candidate.ts';
import { ancestorsOf, contains, nthOfType } from '../page/dom.ts';
import {
  attributeOf,
  compileSelector,
  selectElements,
  type SelectorList,
  type TreeElement,
} from '@gleaner/html';
import { handlesOf, type Handle } from './handles.ts';
import { SEEN_TEXT, type PageModel, type TextSpot } from '../page/page-model.ts';
import { nameQuality } from '../page/names.ts';
import { cssOf, xpathOf, type ElementPath, type PathStep, type PathTest } from '../page/path.ts';
import { attributeFor, readElement, type StructuralReading } from '../page/reading.ts';

interface Located {
  readonly path: ElementPath;
  readonly quality: number;
  readonly family: Family;
  readonly name: string;
}

/** Compiling selectors dominates the cost, so a whole suggestion shares one cache. */
export interface SelectorCache {
  readonly compiled: Map<string, SelectorList>;
  /** The first matches on each page, cached because each way of cutting a text uses the same selector. */
  readonly matches: WeakMap<PageModel, Map<string, readonly TreeElement[]>>;
  /** The texts in containers. */
  readonly texts: WeakMap<TreeElement, readonly TextSpot[]>;
}

function matchesOf(cache: SelectorCache, model: PageModel, css: string): readonly TreeElement[] {
  const ofModel = once(cache.matches, model, () => new Map<string, readonly TreeElement[]>());
  return once(ofModel, css, () => {
    const list = once(cache.compiled, css, () => compileSelector(css));
    return selectElements(list, model.document, model.scope, MAX_MATCHES);
  });
}

function step(axis: PathStep['axis'], handle: Handle, nth?: number): PathStep {
  return { axis, tag: handle.tag, tests: handle.tests, nth };
}

function bare(axis: PathStep['axis'], element: TreeElement): PathStep {
  return { axis, tag: element.localName, tests: [], nth: nthOfType(element) };
}

const ANCHOR_LEVELS = 14;

/** Names of less are not read: they change with the next release of a site. */
const LEAST_QUALITY = 0.1;

/** Paths to the element, from its own handles and those of surrounding elements. */
export function pathsTo(element: TreeElement, top: TreeElement | null = null): Located[] {
  const found: Located[] = [];
  const own = handlesOf(element);
  const tagHandle = own.at(-1);
  const usable = own.filter(({ quality }) => quality >= LEAST_QUALITY).slice(0, 5);
  if (tagHandle !== undefined && !usable.includes(tagHandle)) usable.push(tagHandle);
  for (const handle of usable) {
    found.push({
      path: [step('descendant', handle)],
      quality: handle.quality,
      family: handle.kind,
      name: handle.name,
    });
  }
  const lineage = ancestorsOf(element, ANCHOR_LEVELS);
  const above = top === null ? lineage : lineage.slice(0, Math.max(0, lineage.indexOf(top)));
  if (top !== null && above.length < 6) {
    const path = [...above.toReversed(), element].map((part) => bare('child', part));
    found.push({ path, quality: 0.5, family: 'position', name: '' });
  }
  let exact: PathStep[] = [bare('child', element)];
  let anchors = 0;
  for (const [level, ancestor] of above.entries()) {
    const handles = handlesOf(ancestor)
      .filter(({ quality }) => quality >= 0.3)
      .slice(0, 2);
    for (const handle of handles) {
      anchors += 1;
      if (anchors > 9) break;
      const near = 0.97 ** level;
      for (const mine of usable.slice(0, 4)) {
        const isBare = mine.kind === 'tag';
        const both = isBare
          ? 0.9 * handle.quality * (0.6 + 0.4 * mine.quality)
          : Math.max(mine.quality, 0.8 * handle.quality + 0.2 * mine.quality);
        found.push({
          path: [step('descendant', handle), step('descendant', mine)],
          quality: 0.97 * both * near,
          family: isBare ? handle.kind : mine.kind,
          name: `${handle.name} ${mine.name}`,
        });
      }
      const positions = exact.filter(({ nth }) => nth !== undefined).length;
      found.push({
        path: [step('descendant', handle), ...exact],
        quality: handle.quality * 0.94 ** exact.length * 0.93 ** positions,
        family: handle.kind === 'tag' ? 'position' : handle.kind,
        name: exact.length <= 2 ? handle.name : '',
      });
    }
    exact = [bare('child', ancestor), ...exact];
  }
  if (top === null) {
    const path =
      above.length < ANCHOR_LEVELS
        ? exact.map((part, index) => (index === 0 ? { ...part, axis: 'descendant' as const } : part))
        : [];
    if (path.length > 0 && path.length < 30) found.push({ path, quality: 0.3, family: 'position', name: '' });
  }
  return found;
}

/**
 * A function to the texts in the first match of the path on a page; undefined unless the container is that match on
 * this page.
 */
export function containersOf(
  cache: SelectorCache,
  model: PageModel,
  path: ElementPath,
  container: TreeElement,
): ((other: PageModel) => readonly TextSpot[]) | undefined {
  const css = cssOf(path);
  const matches = matchesOf(cache, model, css);
  if (matches[0] !== container || matches.length > 1) return undefined;
  return (other) => {
    const [first] = matchesOf(cache, other, css);
    if (first === undefined) return [];
    return once(cache.texts, first, () => other.texts.filter(({ parent }) => contains(first, parent)));
  };
}

/** The source that finds the n-th match of the path (1-based; 0 for the first by itself) and reads it. */
function sourceOf(
  path: ElementPath,
  reading: StructuralReading,
  instance: number,
  isRelative: boolean,
): SourceObject | undefined {
  const attr = attributeFor(reading);
  if (attr !== undefined && instance === 0) return { css: cssOf(path, isRelative), ...attr };
  const absolute = xpathOf(path);
  if (absolute === undefined) return undefined;
  const found = isRelative ? `.${absolute}` : absolute;
  const one = instance === 0 ? found : `(${found})[${instance}]`;
  if (attr !== undefined) return { xpath: one, ...attr };
  if (reading.kind === 'text_node') return { xpath: `${one}/text()[normalize-space(.)][${reading.n}]` };
  return { xpath: `string-join((${found})[${Math.max(1, instance)}]//text()[${SEEN_TEXT}], " ")` };
}

const FAMILY_WORDS = new Map([
  ['itemprop', 'property'],
  ['data', 'data attribute'],
  ['tag', 'element'],
]);

function whyOf({ family, path }: Located, count: number, instance: number): string {
  const where = `the ${FAMILY_WORDS.get(family) ?? family} ${cssOf(path)}`;
  if (instance > 0) return `match ${instance} of ${where}`;
  return count === 1 ? `${where}, which the page has once` : `the first match of ${where}`;
}

/** A handle that matches several elements is less reliable. */
function uniqueness(count: number): number {
  return count <= 1 ? 1 : count === 2 ? 0.82 : count === 3 ? 0.75 : 0.62;
}

const MAX_MATCHES = 12;

/** Sources that read the row element itself. */
function ownCandidate(reading: StructuralReading): Candidate[] {
  const attr = attributeFor(reading);
  if (attr === undefined) return [];
  const find: Candidate['find'] = (other) => {
    const text = other.scope === null ? undefined : readElement(other, other.scope, reading);
    return text === undefined ? [] : [text];
  };
  const why = `the row’s own ${reading.kind === 'attribute' ? reading.name : 'text'}`;
  return [candidate({ css: ':scope', ...attr }, 'position', 0.7, why, find)];
}

/** Within a row even a class of a build tool says more than a place: rows that lack the value have none. */
const LEAST_IN_ROW = 0.52;
const MOST_MARKS = 6;
const MOST_DATA = 40;

/** Paths to the element; in a row also by its class without the neighbours that have a class or an attribute besides. */
function pathsInRow(model: PageModel, element: TreeElement, cache: SelectorCache): Located[] {
  const paths = pathsTo(element, model.scope);
  if (model.scope === null) return paths;
  const named = paths.flatMap((located) => {
    const { path, family } = located;
    const [own, ...more] = path;
    if (family !== 'class' || own === undefined || more.length > 0) return [located];
    const quality = Math.max(located.quality, LEAST_IN_ROW);
    const others = matchesOf(cache, model, cssOf(path, true)).filter((match) => match !== element);
    const marks = others.flatMap((other) => marksOf(other, element)).slice(0, MOST_MARKS);
    const exact = {
      attribute: 'class',
      value: attributeOf(element, 'class') ?? '',
      match: 'equals',
    } as const;
    return [
      { ...located, quality },
      ...(others.length === 0 ? [] : [...marks, exact]).map((mark) => ({
        ...located,
        path: [{ ...own, tests: [...own.tests, mark] }],
        quality: quality * (mark === exact ? 0.85 : 0.97),
      })),
    ];
  });
  return [...named, ...marksInRow(element)];
}

/** Paths by what marks an element among the others of its row: data attributes, any class, or that it has none. */
function marksInRow(element: TreeElement): Located[] {
  const by = (test: PathTest, quality: number, family: Family): Located => {
    const path = [{ axis: 'descendant' as const, tag: element.localName, tests: [test] }];
    return { path, quality, family, name: test.value };
  };
  const classes = attributeOf(element, 'class')?.split(/\s+/);
  const unread = classes?.filter((name) => name !== '' && nameQuality(name) < LEAST_QUALITY) ?? [];
  return [
    ...(classes ? [] : [by({ attribute: 'class', value: '', match: 'absent' }, LEAST_IN_ROW, 'class')]),
    ...unread.map((value) => by({ attribute: 'class', value, match: 'token' }, LEAST_IN_ROW, 'class')),
    ...element.attributes.flatMap(({ name, value }) =>
      /^data-[a-z-]+$/.test(name) && value.length <= MOST_DATA
        ? [by({ attribute: name, value, match: 'equals' }, 0.8, 'data')]
        : [],
    ),
  ];
}

/** What one element has and another lacks. */
function marksOf(other: TreeElement, element: TreeElement): PathTest[] {
  const classesOf = (one: TreeElement): string[] =>
    (attributeOf(one, 'class') ?? '').split(/\s+/).filter((name) => name !== '');
  const own = new Set(classesOf(element));
  const classes = classesOf(other).filter((name) => !own.has(name));
  const attributes = other.attributes.filter(
    ({ name }) => /^(?:data|aria)-[a-z-]+$/.test(name) && attributeOf(element, name) === undefined,
  );
  return [
    ...classes.map((value) => ({ attribute: 'class', value, match: 'without' as const })),
    ...attributes.map(({ name }) => ({ attribute: name, value: '', match: 'absent' as const })),
  ];
}

/** Sources that find this element on its page, each with its reliability. */
export function structuralCandidates(
  model: PageModel,
  element: TreeElement,
  reading: StructuralReading,
  field: Words,
  cache: SelectorCache,
): Candidate[] {
  if (element === model.scope) return ownCandidate(reading);
  const found: Candidate[] = [];
  const scale = reading.kind === 'text_node' ? 0.93 ** reading.n : reading.kind === 'spaced' ? 0.95 : 1;
  for (const located of pathsInRow(model, element, cache)) {
    const css = cssOf(located.path, model.scope !== null);
    if (css.length > 600) continue;
    const matches = matchesOf(cache, model, css);
    const at = matches.indexOf(element);
    if (at === -1) continue;
    const instance = at === 0 ? 0 : at + 1;
    const alike = located.name === '' ? 0 : likeness(field, wordsOf(located.name));
    const quality = located.quality + (1 - located.quality) * 0.6 * alike;
    const isTag = located.family === 'tag';
    const unique = isTag && matches.length > 1 ? 0.5 : uniqueness(matches.length);
    const prior = scale * quality * (instance === 0 ? unique : 0.4 * 0.93 ** at);
    const source = sourceOf(located.path, reading, instance, model.scope !== null);
    if (source === undefined) continue;
    const find: Candidate['find'] = (other, limit) => {
      const hits = matchesOf(cache, other, css);
      const chosen = instance === 0 ? hits.slice(0, limit) : hits.slice(instance - 1, instance);
      return chosen.flatMap((hit) => readElement(other, hit, reading) ?? []);
    };
    const family = instance > 0 || located.path.length > 3 ? 'position' : located.family;
    const isLoose =
      instance > 0 ||
      family === 'position' ||
      matches.length > 1 ||
      (family === 'tag' && !/^(?:h1|title)$/.test(located.name)) ||
      located.path.some(({ nth }) => nth !== undefined);
    const why = whyOf(located, matches.length, instance);
    found.push(candidate(source, family, Math.min(0.985, prior), why, find, { isLoose }));
  }
  return found;
}
