import { candidate, type Candidate } from '../candidates/candidate.ts';
import { cutsFor, guarded, WHOLE, type Cut } from '../values/cut.ts';
import { dataLeaves, leafCandidate, metaCandidate, metaLeaves, type DataLeaf } from '../candidates/data.ts';
import { kindOf, type ValueKind } from '../values/kind.ts';
import { labelCandidates } from '../candidates/label.ts';
import type { PageModel } from '../page/page-model.ts';
import { ancestorsOf, type TreeElement } from '../page/dom.ts';
import { handlesOf } from '../candidates/handles.ts';
import { cssOf, xpathOf, type ElementPath } from '../page/path.ts';
import type { Place } from '../places/place.ts';
import { placesOf } from '../places/spots.ts';
import { containersOf, structuralCandidates, type SelectorCache } from '../candidates/structural.ts';
import { fold, foldXPath, xpathLiteral } from '../page/text.ts';
import { isSame, readAs, typesFor, type WantedValue, type ValueType } from '../values/wanted.ts';

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
  readonly leaves: Map<PageModel, readonly DataLeaf[]>;
}

function leavesOf({ leaves }: Workbench, model: PageModel): readonly DataLeaf[] {
  let known = leaves.get(model);
  if (known === undefined) {
    known = dataLeaves(model);
    leaves.set(model, known);
  }
  return known;
}

export function runProgram(
  { candidate: { find }, cut, type }: Program,
  model: PageModel,
): WantedValue | undefined {
  const [raw] = find(model, 1);
  const text = raw === undefined ? undefined : cut.apply(raw);
  return text === undefined ? undefined : readAs(type, text, model);
}

function dataPlaces(
  bench: Workbench,
  model: PageModel,
  wanted: WantedValue,
  field: readonly string[],
): { candidate: Candidate; cuts: readonly Cut[]; type: ValueType; weight: number }[] {
  const found: { candidate: Candidate; cuts: readonly Cut[]; type: ValueType; weight: number }[] = [];
  const text = typeof wanted === 'string' ? fold(wanted) : undefined;
  const types = typesFor(wanted);
  const take = (raw: string, make: () => Candidate): void => {
    if (text !== undefined) {
      if (raw.length > text.length + 300) return;
      const folded = fold(raw);
      if (folded === text) found.push({ candidate: make(), cuts: [WHOLE], type: 'string', weight: 1 });
      else if (text.length >= 4 && folded.includes(text)) {
        const cuts = cutsFor(raw, text);
        if (cuts.length > 0)
          found.push({
            candidate: make(),
            cuts,
            type: 'string',
            weight: 0.5 * (0.5 + 0.5 * (text.length / folded.length)),
          });
      }
    } else if (raw.length <= 40) {
      for (const type of types) {
        if (!isSame(readAs(type, raw, model), wanted)) continue;
        found.push({ candidate: make(), cuts: [WHOLE], type, weight: 1 });
        break;
      }
    }
  };
  for (const leaf of leavesOf(bench, model)) {
    take(leaf.raw, () => leafCandidate(leaf, field));
    if (found.length > 60) break;
  }
  for (const leaf of metaLeaves(model)) take(leaf.content, () => metaCandidate(leaf, field));
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
      found.push(
        candidate(
          { xpath },
          'shape',
          (0.55 + 0.3 * handle.quality) / Math.sqrt(Math.max(1, count)),
          why,
          find,
        ),
      );
    }
    if (found.length >= 4) break;
  }
  return found;
}

function programsAt(
  bench: Workbench,
  page: number,
  model: PageModel,
  place: Place,
  wanted: WantedValue,
  field: readonly string[],
  kind: ValueKind | undefined,
  strictly: (cut: Cut) => Cut,
): Program[] {
  const programs: Program[] = [];
  const { target, element, reading, cuts, weight, type } = place;
  const found = structuralCandidates(model, element, reading, field, bench.selectors);
  if (target !== undefined) {
    const others = bench.models.filter((other) => other !== model);
    const sharedBy = (text: string): number | undefined =>
      others.length === 0
        ? undefined
        : others.filter(({ byXPathText }) => byXPathText.has(text)).length / others.length;
    found.push(
      ...labelCandidates(
        model,
        target,
        typeof wanted === 'string' ? fold(wanted) : place.raw,
        field,
        sharedBy,
      ),
    );
    if (model.scope === null && target.isOneText && cuts[0] === WHOLE && kind?.isTelling === true)
      found.push(...kindCandidates(bench, model, element, kind));
    if (model.scope === null && target.isOneText && cuts[0] !== WHOLE)
      found.push(...prefixCandidates(target.spot.xpathText, wanted));
  }
  const strict = type === 'string' ? cuts.map(strictly) : cuts;
  for (const item of found) {
    for (const cut of item.isLoose ? strict : cuts)
      programs.push(program(item, cut, type, item.prior * cut.trust * weight, page));
  }
  return programs;
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
  return [
    candidate(
      { xpath },
      'label',
      prior,
      `the text that ${isStart ? 'starts with' : 'has'} “${prefix}”`,
      find,
    ),
  ];
}

function program(item: Candidate, cut: Cut, type: ValueType, prior: number, origin: number): Program {
  return { key: `${item.key}${JSON.stringify(cut.steps)}${type}`, candidate: item, cut, type, prior, origin };
}

/** Limits cuts to values of the kind. */
function cutsOfKind(kind: ValueKind | undefined): (cut: Cut) => Cut {
  const known = new Map<Cut, Cut>();
  return (cut) => {
    if (kind === undefined) return cut;
    const strict = known.get(cut) ?? guarded(cut, kind);
    known.set(cut, strict);
    return strict;
  };
}

const MAX_PROGRAMS = 400;

/** Programs that find the example on this page. Each was run on the page. */
export function programsFor(
  bench: Workbench,
  page: number,
  model: PageModel,
  wanted: WantedValue,
  field: readonly string[],
  all: readonly WantedValue[],
): Program[] {
  const programs: Program[] = [];
  const kind = kindOf(all.filter((value) => typeof value === 'string').map(fold));
  const strictly = cutsOfKind(kind);
  for (const place of placesOf(model, wanted, field)) {
    programs.push(...programsAt(bench, page, model, place, wanted, field, kind, strictly));
  }
  const data = model.scope === null ? dataPlaces(bench, model, wanted, field) : [];
  for (const { candidate: item, cuts, type, weight } of data) {
    for (const cut of cuts) programs.push(program(item, cut, type, item.prior * cut.trust * weight, page));
  }
  const best = new Map<string, Program>();
  for (const item of programs) {
    const known = best.get(item.key);
    if (known === undefined || known.prior < item.prior) best.set(item.key, item);
  }
  return [...best.values()]
    .toSorted((a, b) => b.prior - a.prior)
    .slice(0, MAX_PROGRAMS)
    .filter((item) => isSame(runProgram(item, model), wanted));
}
