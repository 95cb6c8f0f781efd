import { candidate, type Candidate } from './candidate.ts';
import {
  attributeOf,
  childElements,
  commonAncestor,
  contains,
  isElement,
  isText,
  nextElement,
  parentElement,
  positionOfType,
  isOnlyOfType,
  textOf,
  type TreeElement,
  type TreeNode,
} from './dom.ts';
import { likeness, nameQuality, wordsOf } from './names.ts';
import { SEEN_TEXT, type PageModel, type TextSpot } from './page-model.ts';
import { readElement, type Reading } from './structural.ts';
import { foldXPath, quoted, xpathLiteral } from './text.ts';

/** What a value is on its page: a text, or an element with several. */
export interface Target {
  readonly element: TreeElement;
  readonly reading: Reading;
  /** The first text of it. */
  readonly spot: TextSpot;
  /** Whether the value is the whole of that one text. */
  readonly isOneText: boolean;
}

const LABEL_TAGS = new Set([
  'th',
  'dt',
  'label',
  'legend',
  'b',
  'strong',
  'em',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'caption',
  'u',
]);
const STRONG_LABEL_TAGS = new Set(['th', 'dt', 'label', 'legend', 'caption']);
const LABEL_CLASS =
  /(?:^|[-_ ])(?:label|lbl|key|name|term|caption|heading|header|head|hd|title|ttl|field|prop|attr|bold|legend)/i;

/** How often a text must look like others to be one of a column of labels. */
const PEERS = 3;

function signatureOf(element: TreeElement): string {
  return `${element.localName}.${attributeOf(element, 'class') ?? ''}`;
}

/** Whether the text stands in a column of short texts without digits, each in a row of its own, as names of properties do. */
function hasLabelPeers(model: PageModel, spot: TextSpot): boolean {
  let cell = spot.parent;
  for (let level = 0; level < 3; level += 1) {
    const row = parentElement(cell);
    const table = row === null ? null : parentElement(row);
    if (row === null || table === null) return false;
    const cells = childElements(row);
    if (cells.length >= 2 && cells.at(-1) !== cell) {
      const at = cells.indexOf(cell);
      const signature = signatureOf(cell);
      let peers = 0;
      let others = 0;
      for (const other of childElements(table).slice(0, 60)) {
        const peer = childElements(other)[at];
        if (peer === undefined || childElements(other).length < 2) continue;
        const text = textOf(model.document, peer).trim();
        if (signatureOf(peer) === signature && /\p{L}/u.test(text) && text.length <= 40 && !/\d/.test(text))
          peers += 1;
        else others += 1;
      }
      if (peers >= PEERS && peers >= 2 * others) return true;
    }
    if (cells.length > 1) return false;
    cell = row;
  }
  return false;
}

function isInTitle({ title }: PageModel, text: string): boolean {
  return text.length >= 4 && title.includes(text);
}

/** From 0 to 1: how much a text looks like the name of the value after it. */
export function labelness(
  model: PageModel,
  spot: TextSpot,
  field: readonly string[],
  shared: number | undefined,
): number {
  const { text, parent } = spot;
  if (text.length > 60 || !/\p{L}/u.test(text)) return 0;
  let score = /^[\p{Lu}\d]/u.test(text) ? 0.3 : 0.22;
  if (LABEL_TAGS.has(parent.localName))
    score = Math.max(score, STRONG_LABEL_TAGS.has(parent.localName) ? 0.74 : 0.6);
  const classes = attributeOf(parent, 'class') ?? '';
  if (classes !== '' && LABEL_CLASS.test(classes))
    score = Math.max(score, 0.68 * Math.max(0.6, nameQuality(classes)));
  if (score < 0.7 && hasLabelPeers(model, spot)) score = Math.max(score, 0.7);
  if (/[:：]$/.test(text)) score = Math.max(score, 0.86);
  if (/\d/.test(text)) score *= 0.6;
  // What the page's title says is the page's subject: a value, as the examples of other fields are.
  if (!/[:：]$/.test(text) && (isInTitle(model, text) || model.values.has(text)))
    score = Math.min(score * 0.3, 0.15);
  if (text.length > 30) score *= 0.7;
  const words = wordsOf(text);
  if (words.length <= 6) {
    const alike = likeness(field, words);
    if (alike >= 0.3) score = Math.max(score, score + (0.96 - score) * Math.min(1, alike * 1.2));
  }
  if (shared === undefined) return score;
  if (shared >= 1) return Math.max(score, 0.55 + 0.45 * score);
  // On pages of another layout, or without this field, a label is missing too; only one that looks like it is believed.
  return score * (score >= 0.6 ? 0.72 + 0.2 * shared : 0.25 + 0.5 * shared);
}

function labelElements(model: PageModel, spot: TextSpot): TreeElement[] {
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
  /** `null` for a text beside the label. */
  readonly next: string | null;
  readonly nth: number;
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

/** How to get from the label's element to the value's. */
function relationOf(label: TreeElement, target: Target): Relation | undefined {
  const { element, spot, isOneText } = target;
  if (isOneText && label.parent === element && spot.parent === element) {
    let nth = 0;
    for (let node: TreeNode | null = label.next; node !== null; node = node.next) {
      if (isText(node) && foldXPath(node.data) !== '') nth += 1;
      if (node === spot.node) return { tag: label.localName, up: 0, next: null, nth, down: [] };
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
    down.unshift({ tag: to.localName, nth: isOnlyOfType(to) ? undefined : positionOfType(to) });
    to = to.parent;
  }
  const nth = siblingDistance(from, to);
  return nth === undefined ? undefined : { tag: label.localName, up, next: to.localName, nth, down };
}

function xpathOfRelation(label: string, { tag, up, next, nth, down }: Relation, reading: Reading): string {
  let path = `//${tag}[normalize-space(.)=${label}]${'/..'.repeat(up)}`;
  if (next === null) return `${path}/following-sibling::text()[normalize-space(.)][${nth}]`;
  path += `/following-sibling::${next}[${nth}]`;
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

function nthSiblingText(from: TreeElement, nth: number): string | undefined {
  let left = nth;
  for (let node: TreeNode | null = from.next; node !== null; node = node.next) {
    if (!isText(node) || foldXPath(node.data) === '') continue;
    left -= 1;
    if (left === 0) return node.data;
  }
  return undefined;
}

function follow(model: PageModel, label: TreeElement, relation: Relation, reading: Reading): string[] {
  let from: TreeElement | null = label;
  for (let up = 0; up < relation.up && from !== null; up += 1) from = parentElement(from);
  if (from === null) return [];
  if (relation.next === null) {
    const text = nthSiblingText(from, relation.nth);
    return text === undefined ? [] : [text];
  }
  const start = nthSibling(from, relation.next, relation.nth);
  let reached = start === undefined ? [] : [start];
  for (const { tag, nth } of relation.down) {
    reached = reached.flatMap((element) => {
      const named = childElements(element).filter(({ localName }) => localName === tag);
      return nth === undefined ? named : named.slice(nth - 1, nth);
    });
  }
  return reached.flatMap((element) => readElement(model, element, reading) ?? []);
}

function labelSpots(model: PageModel, xpathText: string): TextSpot[] {
  return (model.byXPathText.get(xpathText) ?? []).flatMap((index) => model.texts[index] ?? []);
}

function relationCandidate(
  page: PageModel,
  label: TextSpot,
  element: TreeElement,
  target: Target,
  quality: number,
): Candidate | undefined {
  const relation = relationOf(element, target);
  const literal = xpathLiteral(label.xpathText);
  if (relation === undefined || literal === undefined || target.reading.kind === 'spaced') return undefined;
  const { reading } = target;
  const source = {
    xpath: `${page.scope === null ? '' : '.'}${xpathOfRelation(literal, relation, reading)}`,
    ...(relation.next === null || reading.kind === 'text' || reading.kind === 'text_node'
      ? {}
      : { attr: reading.kind === 'attribute' ? reading.name : 'own_text' }),
  };
  const steps = relation.up + relation.down.length + (relation.nth - 1);
  const { xpathText } = label;
  const find: Candidate['find'] = (model, limit) => {
    const found: string[] = [];
    for (const spot of labelSpots(model, xpathText)) {
      const start = labelElements(model, spot).find(({ localName }) => localName === relation.tag);
      if (start !== undefined) found.push(...follow(model, start, relation, reading));
      if (found.length >= limit) break;
    }
    return found;
  };
  const where = relation.next === null ? 'the text' : `the ${relation.next}`;
  return candidate(
    source,
    'label',
    quality * 0.985 ** steps,
    `${where} after the label ${quoted(label.text)}`,
    find,
  );
}

/** The text so many texts after the label's text, whatever stands around it. */
function followingCandidate(
  label: TextSpot,
  distance: number,
  value: string,
  quality: number,
): Candidate | undefined {
  const literal = xpathLiteral(label.xpathText);
  if (literal === undefined) return undefined;
  // What ends in a colon is the next label: then the value is missing.
  const guard = /[:：]$/.test(value) ? '' : '[not(ends-with(normalize-space(.), ":"))]';
  const xpath = `//text()[normalize-space(.)=${literal}]/following::text()[${SEEN_TEXT}][${distance}]${guard}`;
  const { xpathText } = label;
  const find: Candidate['find'] = (model, limit) => {
    const found: string[] = [];
    for (const spot of labelSpots(model, xpathText)) {
      const text = model.texts[spot.index + distance];
      if (text !== undefined && (guard === '' || !text.xpathText.endsWith(':'))) found.push(text.node.data);
      if (found.length >= limit) break;
    }
    return found;
  };
  const nth = distance === 1 ? 'the next text' : `the text ${distance} after`;
  return candidate(
    { xpath },
    'label',
    quality * 0.9 ** (distance - 1),
    `${nth} after the label ${quoted(label.text)}`,
    find,
  );
}

/** For labels that a page has several times: the one after a heading. */
function sectionCandidate(
  model: PageModel,
  label: TextSpot,
  distance: number,
  quality: number,
): Candidate | undefined {
  const section = headingBefore(model, label);
  const inner = xpathLiteral(label.xpathText);
  const outer = section === undefined ? undefined : xpathLiteral(section.xpathText);
  if (section === undefined || inner === undefined || outer === undefined) return undefined;
  const xpath = `(//text()[normalize-space(.)=${outer}]/following::text()[normalize-space(.)=${inner}])[1]/following::text()[${SEEN_TEXT}][${distance}]`;
  const find: Candidate['find'] = (other) => {
    const start = other.byXPathText.get(section.xpathText)?.[0];
    const at =
      start === undefined
        ? undefined
        : other.byXPathText.get(label.xpathText)?.find((index) => index > start);
    const text = at === undefined ? undefined : other.texts[at + distance];
    return text === undefined ? [] : [text.node.data];
  };
  const why = `the text after the label ${quoted(label.text)} under ${quoted(section.text)}`;
  return candidate({ xpath }, 'label', quality * 0.8 * 0.9 ** (distance - 1), why, find);
}

const HEADING_TAGS = new Set([
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'th',
  'legend',
  'caption',
  'strong',
  'b',
  'dt',
]);

function headingBefore(model: PageModel, label: TextSpot): TextSpot | undefined {
  for (let index = label.index - 1; index >= 0 && index > label.index - 80; index -= 1) {
    const spot = model.texts[index];
    if (spot === undefined || spot.text.length > 50 || !/\p{L}/u.test(spot.text)) continue;
    if (HEADING_TAGS.has(spot.parent.localName) && model.byXPathText.get(spot.xpathText)?.length === 1)
      return spot;
  }
  return undefined;
}

/** The header above a table cell. */
function columnHeader(model: PageModel, target: Target): TextSpot | undefined {
  let cell: TreeElement | null = target.element;
  while (cell !== null && cell.localName !== 'td') cell = parentElement(cell);
  const row = cell === null ? null : parentElement(cell);
  const body = row === null ? null : parentElement(row);
  if (cell === null || row === null || body === null) return undefined;
  const first = childElements(body)[0];
  if (first === undefined || first === row) return undefined;
  const header = childElements(first)[childElements(row).indexOf(cell)];
  if (header === undefined) return undefined;
  return model.texts.find(({ parent }) => contains(header, parent));
}

const BACK = 6;

function suffixCandidate(label: TextSpot, quality: number): Candidate | undefined {
  const literal = xpathLiteral(label.xpathText);
  if (literal === undefined) return undefined;
  const xpath = `//text()[normalize-space(.)=${literal}]/preceding::text()[${SEEN_TEXT}][1]`;
  const find: Candidate['find'] = (model) =>
    labelSpots(model, label.xpathText).flatMap(({ index }) => model.texts[index - 1]?.node.data ?? []);
  return candidate({ xpath }, 'label', quality, `the text before ${quoted(label.text)}`, find);
}

/**
 * Sources anchored at a label near the value. `sharedBy` gives the share of the other pages that have a text too: a
 * label stands on all of them, a value does not; undefined when there is only one page.
 */
export function labelCandidates(
  model: PageModel,
  target: Target,
  value: string,
  field: readonly string[],
  sharedBy: (text: string) => number | undefined,
): Candidate[] {
  const found: (Candidate | undefined)[] = [];
  const { index } = target.spot;
  const labels: TextSpot[] = [];
  for (let at = index - 1; at >= Math.max(0, index - BACK); at -= 1) {
    const spot = model.texts[at];
    if (spot !== undefined && spot.text !== value) labels.push(spot);
  }
  const header = columnHeader(model, target);
  if (header !== undefined && !labels.includes(header)) labels.push(header);
  for (const label of labels) {
    const distance = index - label.index;
    const score = labelness(model, label, field, sharedBy(label.xpathText));
    if (score < 0.15) continue;
    const all = labelSpots(model, label.xpathText);
    const occurrence = all.indexOf(label);
    const quality = score * (all.length > 1 ? 0.88 : 1) * 0.96 ** Math.max(0, distance - 1);
    if (model.scope !== null) {
      const [first] = occurrence === 0 ? labelElements(model, label) : [];
      if (first !== undefined) found.push(relationCandidate(model, label, first, target, quality));
      continue;
    }
    if (occurrence === 0) {
      for (const element of labelElements(model, label)) {
        found.push(relationCandidate(model, label, element, target, quality * 1.01));
      }
      if (target.isOneText && distance > 0 && distance <= 4) {
        found.push(followingCandidate(label, distance, value, quality * 0.95));
      }
    } else if (target.isOneText && distance > 0 && distance <= 3) {
      found.push(sectionCandidate(model, label, distance, quality));
    }
  }
  const after = model.scope === null ? model.texts[index + 1] : undefined;
  if (target.isOneText && after !== undefined && labelSpots(model, after.xpathText)[0] === after) {
    const score = labelness(model, after, field, sharedBy(after.xpathText));
    const isLabel = likeness(field, wordsOf(after.text)) >= 0.5 || sharedBy(after.xpathText) === 1;
    if (isLabel && score >= 0.3) found.push(suffixCandidate(after, 0.6 * score));
  }
  return found.filter((item) => item !== undefined);
}
