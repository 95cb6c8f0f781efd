import type { Words } from '../page/names.ts';
import { once } from '../page/once.ts';
import { candidate, type Candidate } from '../candidates/candidate.ts';
import { cutsFor, guarded, WHOLE, type Cut } from '../values/cut.ts';
import { dataLeaves, leafCandidate, metaCandidate, metaLeaves } from '../candidates/data.ts';
import { kindOf, type ValueKind } from '../values/kind.ts';
import { labelCandidates } from '../candidates/label.ts';
import type { PageModel } from '../page/page-model.ts';
import { ancestorsOf } from '../page/dom.ts';
import type { TreeElement } from '@gleaner/html';
import { handlesOf } from '../candidates/handles.ts';
import { cssOf, xpathOf, type ElementPath } from '../page/path.ts';
import type { Place } from '../places/place.ts';
import { placesOf } from '../places/spots.ts';
import { containersOf, structuralCandidates, type SelectorCache } from '../candidates/structural.ts';
import { fold, foldXPath, xpathLiteral } from '../page/text.ts';
import {
  isSame,
  readAs,
  typesFor,
  type KnownByPage,
  type WantedValue,
  type ValueType,
} from '../values/wanted.ts';

/** A candidate and the steps for its raw text: everything from page to value. */
export interface Program {
  readonly key: string;
  readonly candidate: Candidate;
  readonly cut: Cut;
  readonly type: ValueType;
  /** The chance of being right on other pages, before any were checked. */
  readonly prior: number;
  /** The page of the example that it was learned from. */
  readonly origin: number;
}

/** The state that all fields of a suggestion share. */
export interface Workbench {
  readonly models: readonly PageModel[];
  /** Whether the page has any examples. If so, a field without one is more likely to be missing there. */
  readonly hasExamples: readonly boolean[];
  readonly selectors: SelectorCache;
}

export function runProgram(
  { candidate: { find }, cut, type }: Program,
  model: PageModel,
): WantedValue | undefined {
  const [raw] = find(model, 1);
  const text = raw === undefined ? undefined : cut.apply(raw);
  return text === undefined ? undefined : readAs(type, text, model);
}

/** A source of data with the ways in which it gives the example. */
interface DataPlace extends Pick<Place, 'cuts' | 'type' | 'weight'> {
  readonly candidate: Candidate;
}

/** How a text of the data gives the example, of which a text is folded; undefined when it doesn't. */
function matchOf(
  model: PageModel,
  raw: string,
  wanted: WantedValue,
): Omit<DataPlace, 'candidate'> | undefined {
  if (typeof wanted !== 'string') {
    const isRead = (type: ValueType): boolean => isSame(readAs(type, raw, model), wanted);
    const type = raw.length <= 40 ? typesFor(wanted).find(isRead) : undefined;
    return type && { cuts: [WHOLE], type, weight: 1 };
  }
  if (raw.length > wanted.length + 300) return undefined;
  const folded = fold(raw);
  if (folded === wanted) return { cuts: [WHOLE], type: 'string', weight: 1 };
  const cuts = wanted.length >= 4 && folded.includes(wanted) ? cutsFor(raw, wanted) : [];
  const weight = 0.5 * (0.5 + 0.5 * (wanted.length / folded.length));
  return cuts.length === 0 ? undefined : { cuts, type: 'string', weight };
}

function dataPlaces(model: PageModel, wanted: WantedValue, field: Words): DataPlace[] {
  const value = typeof wanted === 'string' ? fold(wanted) : wanted;
  const found: DataPlace[] = [];
  for (const leaf of dataLeaves(model)) {
    const match = matchOf(model, leaf.raw, value);
    if (match !== undefined) found.push({ ...match, candidate: leafCandidate(leaf, field) });
    if (found.length > 60) break;
  }
  for (const leaf of metaLeaves(model)) {
    const match = matchOf(model, leaf.content, value);
    if (match !== undefined) found.push({ ...match, candidate: metaCandidate(leaf, field) });
  }
  return found.toSorted((a, b) => b.candidate.prior * b.weight - a.candidate.prior * a.weight).slice(0, 12);
}

const CONTAINER_LEVELS = 4;

/** The first text of the kind in the element around it: lists without labels, where rows come and go. */
function kindCandidates(
  bench: Workbench,
  model: PageModel,
  element: TreeElement,
  { pattern }: ValueKind,
): Candidate[] {
  const literal = xpathLiteral(`^${pattern}$`);
  if (literal === undefined) return [];
  const expression = new RegExp(`^${pattern}$`, 'u');
  const found: Candidate[] = [];
  for (const container of ancestorsOf(element, CONTAINER_LEVELS)) {
    for (const handle of handlesOf(container).slice(0, 2)) {
      if (handle.quality < 0.3) continue;
      const path: ElementPath = [{ axis: 'descendant', tag: handle.tag, tests: handle.tests }];
      const where = xpathOf(path);
      if (where === undefined) continue;
      const textsIn = containersOf(bench.selectors, model, path, container);
      if (textsIn === undefined) continue;
      const find: Candidate['find'] = (other, limit) =>
        textsIn(other)
          .flatMap(({ xpathText, node }) =>
            xpathText.length < 60 && expression.test(xpathText) ? [node.data] : [],
          )
          .slice(0, limit);
      const count = find(model, 10).length;
      const xpath = `${where}//text()[matches(normalize-space(.), ${literal}) and not(parent::script or parent::style)]`;
      const why = `the first text like it in ${cssOf(path)}`;
      const prior = (0.55 + 0.3 * handle.quality) / Math.sqrt(Math.max(1, count));
      found.push(candidate({ xpath }, 'shape', prior, why, find));
    }
    if (found.length >= 4) break;
  }
  return found;
}

/** A value that is looked for. */
interface Wanted {
  wanted: WantedValue;
  field: Words;
  known: KnownByPage;
  kind: ValueKind | undefined;
}

/** Sources that find the occurrence of the example. */
function candidatesAt(
  bench: Workbench,
  model: PageModel,
  { target, element, reading, cuts, raw }: Place,
  { wanted, field, known, kind }: Wanted,
): Candidate[] {
  const found = structuralCandidates(model, element, reading, field, bench.selectors);
  if (target === undefined) return found;
  // A page without the value needs no label either.
  const others = bench.models.filter((other, page) => other !== model && known[page] !== null);
  const sharedBy = (text: string): number | undefined =>
    others.length === 0
      ? undefined
      : others.filter(({ byXPathText }) => byXPathText.has(text)).length / others.length;
  const value = typeof wanted === 'string' ? fold(wanted) : raw;
  found.push(...labelCandidates(model, target, value, field, sharedBy));
  if (model.scope !== null || !target.isOneText) return found;
  if (cuts[0] !== WHOLE) found.push(...prefixCandidates(target.spot.xpathText, wanted));
  else if (kind?.isTelling === true) found.push(...kindCandidates(bench, model, element, kind));
  return found;
}

/** The text that contains the label: `Publisher: Acme` in one text, or `Height: 6-5 | Weight: 205`. */
function prefixCandidates(text: string, wanted: WantedValue): Candidate[] {
  const at = typeof wanted === 'string' ? text.indexOf(foldXPath(wanted)) : text.search(/\d/);
  if (at <= 1) return [];
  const before = text.slice(0, at).trimEnd();
  const prefix = /[\p{L}][\p{L} ]{0,30}[:：]$/u.exec(before)?.[0] ?? before;
  const literal = xpathLiteral(prefix);
  if (literal === undefined || prefix.length > 50 || !/\p{L}/u.test(prefix)) return [];
  const isStart = prefix.length === before.length;
  const find: Candidate['find'] = (model, limit) => {
    const found: string[] = [];
    for (const { xpathText, node } of model.texts) {
      if (isStart ? xpathText.startsWith(prefix) : xpathText.includes(prefix)) found.push(node.data);
      if (found.length >= limit) break;
    }
    return found;
  };
  const prior = /[:：]$/.test(prefix) ? 0.95 : 0.7;
  const test = isStart ? 'starts-with' : 'contains';
  const xpath = `//text()[${test}(normalize-space(.), ${literal}) and not(parent::script or parent::style)]`;
  const why = `the text that ${isStart ? 'starts with' : 'has'} “${prefix}”`;
  return [candidate({ xpath }, 'label', prior, why, find)];
}

/** Adds a program, of several with one key the likeliest. */
export function keepLikelier(programs: Map<string, Program>, item: Program): void {
  const known = programs.get(item.key);
  if (known === undefined || known.prior < item.prior) programs.set(item.key, item);
}

const MAX_PROGRAMS = 400;

/** Programs that find the example on this page. Each was run on the page. */
export function programsFor(
  bench: Workbench,
  page: number,
  model: PageModel,
  { wanted, field, known }: Omit<Wanted, 'kind'>,
): Program[] {
  const best = new Map<string, Program>();
  const kind = kindOf(known.filter((value) => typeof value === 'string').map(fold));
  const guards = new Map<Cut, Cut>();
  const strictly = (cut: Cut): Cut =>
    kind === undefined ? cut : once(guards, cut, () => guarded(cut, kind));
  const add = (
    item: Candidate,
    cuts: readonly Cut[],
    { type, weight }: Pick<Place, 'type' | 'weight'>,
  ): void => {
    for (const cut of cuts) {
      const key = `${item.key}${JSON.stringify(cut.steps)}${type}`;
      const prior = item.prior * cut.trust * weight;
      keepLikelier(best, { key, candidate: item, cut, type, prior, origin: page });
    }
  };
  for (const place of placesOf(model, wanted, field)) {
    const strict = place.type === 'string' ? place.cuts.map(strictly) : place.cuts;
    for (const item of candidatesAt(bench, model, place, { wanted, field, known, kind }))
      add(item, item.isLoose ? strict : place.cuts, place);
  }
  if (model.scope === null)
    for (const place of dataPlaces(model, wanted, field)) add(place.candidate, place.cuts, place);
  return [...best.values()]
    .toSorted((a, b) => b.prior - a.prior)
    .slice(0, MAX_PROGRAMS)
    .filter((item) => isSame(runProgram(item, model), wanted));
}
