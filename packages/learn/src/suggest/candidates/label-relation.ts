import { candidate, type Candidate } from './candidate.ts';
import { childElements, commonAncestor, contains, nthOfType } from '../page/dom.ts';
import {
  isElement,
  isText,
  nextElement,
  parentElement,
  textOf,
  type TreeElement,
  type TreeNode,
} from '@gleaner/html';
import type { PageModel, TextSpot } from '../page/page-model.ts';
import { attributeFor, readElement, type StructuralReading } from '../page/reading.ts';
import type { ExampleTarget } from '../places/place.ts';
import { foldXPath, quoted, xpathLiteral } from '../page/text.ts';

/** The elements that contain only the label, innermost first; none when the label shares its element. */
export function labelElements(model: PageModel, spot: TextSpot): TreeElement[] {
  const found = [spot.parent];
  for (let up = parentElement(spot.parent); up !== null && found.length < 4; up = parentElement(up)) {
    if (foldXPath(textOf(model.document, up)) !== spot.xpathText) break;
    found.push(up);
  }
  return foldXPath(textOf(model.document, spot.parent)) === spot.xpathText ? found : [];
}

interface Relation {
  readonly tag: string;
  readonly up: number;
  /** `null` for a text next to the label. */
  readonly next: string | null;
  readonly nth: number;
  /** Whether no element with the label's name, such as the next label, stands between the two. */
  readonly isDirect: boolean;
  readonly down: readonly { tag: string; nth: number | undefined }[];
}

function siblingDistance(from: TreeElement, to: TreeElement): number | undefined {
  let nth = 0;
  for (let after = nextElement(from); after !== null; after = nextElement(after)) {
    if (after.localName === to.localName) nth += 1;
    if (after === to) return nth;
    if (nth > 12) return undefined;
  }
  return undefined;
}

/** The path from the label's element to the value's. */
function relationOf(label: TreeElement, target: ExampleTarget): Relation | undefined {
  const { element, spot, isOneText } = target;
  if (isOneText && label.parent === element && spot.parent === element) {
    let nth = 0;
    let isDirect = true;
    for (let node: TreeNode | null = label.next; node !== null; node = node.next) {
      if (isElement(node) && node.localName === label.localName) isDirect = false;
      if (isText(node) && foldXPath(node.data) !== '') nth += 1;
      if (node === spot.node) return { tag: label.localName, up: 0, next: null, nth, isDirect, down: [] };
    }
    return undefined;
  }
  if (contains(element, label) || contains(label, element)) return undefined;
  const common = commonAncestor(label, element);
  if (common === undefined) return undefined;
  let up = 0;
  let from = label;
  for (; from.parent !== common; up += 1) {
    if (!isElement(from.parent) || up > 3) return undefined;
    from = from.parent;
  }
  const down: { tag: string; nth: number | undefined }[] = [];
  let to = element;
  for (; to.parent !== common;) {
    if (!isElement(to.parent) || down.length > 4) return undefined;
    down.unshift({ tag: to.localName, nth: nthOfType(to) });
    to = to.parent;
  }
  const nth = siblingDistance(from, to);
  if (nth === undefined) return undefined;
  const isDirect = up === 0 && to.localName !== label.localName && isBefore(label, to);
  return { tag: label.localName, up, next: to.localName, nth, isDirect, down };
}

/** Whether the sibling comes before the next element with the label's name. */
function isBefore(label: TreeElement, sibling: TreeElement): boolean {
  for (let after = nextElement(label); after !== null; after = nextElement(after)) {
    if (after === sibling) return true;
    if (after.localName === label.localName) return false;
  }
  return false;
}

function xpathOfRelation(
  label: string,
  { tag, up, next, nth, isDirect, down }: Relation,
  reading: StructuralReading,
): string {
  let path = `//${tag}[normalize-space(.)=${label}]${'/..'.repeat(up)}`;
  // Where the value is missing, what follows belongs to the next label.
  const own = isDirect ? `[preceding-sibling::${tag}[1][normalize-space(.)=${label}]]` : '';
  if (next === null) return `${path}/following-sibling::text()[normalize-space(.)][${nth}]${own}`;
  path += `/following-sibling::${next}[${nth}]${own}`;
  for (const part of down) path += `/${part.tag}${part.nth === undefined ? '' : `[${part.nth}]`}`;
  return reading.kind === 'text_node' ? `${path}/text()[normalize-space(.)][${reading.n}]` : path;
}

function nthSibling(from: TreeElement, tag: string, nth: number): TreeElement | undefined {
  let left = nth;
  for (let after = nextElement(from); after !== null; after = nextElement(after)) {
    if (after.localName !== tag) continue;
    left -= 1;
    if (left === 0) return after;
  }
  return undefined;
}

function nthSiblingText(from: TreeElement, nth: number, isDirect: boolean): string | undefined {
  let left = nth;
  for (let node: TreeNode | null = from.next; node !== null; node = node.next) {
    if (isDirect && isElement(node) && node.localName === from.localName) return undefined;
    if (!isText(node) || foldXPath(node.data) === '') continue;
    left -= 1;
    if (left === 0) return node.data;
  }
  return undefined;
}

function follow(
  model: PageModel,
  label: TreeElement,
  relation: Relation,
  reading: StructuralReading,
): string[] {
  let from: TreeElement | null = label;
  for (let up = 0; up < relation.up && from !== null; up += 1) from = parentElement(from);
  if (from === null) return [];
  if (relation.next === null) {
    const text = nthSiblingText(from, relation.nth, relation.isDirect);
    return text === undefined ? [] : [text];
  }
  const start = nthSibling(from, relation.next, relation.nth);
  const isOwn = start !== undefined && (!relation.isDirect || isBefore(from, start));
  let reached = isOwn ? [start] : [];
  for (const { tag, nth } of relation.down) {
    reached = reached.flatMap((element) => {
      const named = childElements(element).filter(({ localName }) => localName === tag);
      return nth === undefined ? named : named.slice(nth - 1, nth);
    });
  }
  return reached.flatMap((element) => readElement(model, element, reading) ?? []);
}

/** Finds what stands after each text like the label. */
export function findAfter(
  { xpathText }: TextSpot,
  read: (model: PageModel, spot: TextSpot) => string[],
): Candidate['find'] {
  return (model, limit) => {
    const found: string[] = [];
    for (const spot of model.byXPathText.get(xpathText) ?? []) {
      found.push(...read(model, spot));
      if (found.length >= limit) break;
    }
    return found;
  };
}

/** Below this quality, the text before a value may be another value. */
export const STRONG_LABEL = 0.6;

/** Finds the value by the path from the label’s element. */
export function relationCandidate(
  page: PageModel,
  label: TextSpot,
  element: TreeElement,
  target: ExampleTarget,
  quality: number,
): Candidate | undefined {
  const relation = relationOf(element, target);
  const literal = xpathLiteral(label.xpathText);
  if (relation === undefined || literal === undefined || target.reading.kind === 'spaced') return undefined;
  const { reading } = target;
  const source = {
    xpath: `${page.scope === null ? '' : '.'}${xpathOfRelation(literal, relation, reading)}`,
    ...(relation.next === null ? undefined : attributeFor(reading)),
  };
  const steps = relation.up + relation.down.length + (relation.nth - 1);
  // A position below another element than the label's row may hold another value.
  const positions = relation.down.filter(({ nth }) => nth !== undefined).length;
  const isLoose = relation.nth > 2 || positions > 0 || quality < STRONG_LABEL;
  const find = findAfter(label, (model, spot) => {
    const start = labelElements(model, spot).find(({ localName }) => localName === relation.tag);
    return start === undefined ? [] : follow(model, start, relation, reading);
  });
  const where = relation.next === null ? 'the text' : `the ${relation.next}`;
  return candidate(
    source,
    'label',
    quality * 0.985 ** steps * 0.88 ** positions,
    `${where} after the label ${quoted(label.text)}`,
    find,
    { anchor: label.xpathText, isLoose },
  );
}
