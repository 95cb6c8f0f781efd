import { textMapOf, type PageDocument } from '../tree/document.ts';
import {
  attributeOf,
  HTML_NAMESPACE,
  isElement,
  isText,
  nextElement,
  parentElement,
  previousElement,
  type TreeElement,
} from '../tree/tree.ts';
import type { Test } from './selector.ts';

const FORM_CONTROLS = new Set(['button', 'input', 'select', 'textarea', 'optgroup', 'option', 'fieldset']);

function isDisabled(element: TreeElement): boolean {
  if (!FORM_CONTROLS.has(element.localName)) return false;
  if (attributeOf(element, 'disabled') !== undefined) return true;
  for (let up = parentElement(element); up !== null; up = parentElement(up)) {
    const disables =
      (up.localName === 'fieldset' && element.localName !== 'option') ||
      (up.localName === 'optgroup' && element.localName === 'option');
    if (disables && attributeOf(up, 'disabled') !== undefined) return true;
  }
  return false;
}

function isLink(element: TreeElement): boolean {
  return (
    (element.localName === 'a' || element.localName === 'area') && attributeOf(element, 'href') !== undefined
  );
}

function isChecked(element: TreeElement): boolean {
  if (element.localName === 'option') return attributeOf(element, 'selected') !== undefined;
  const type = attributeOf(element, 'type')?.toLowerCase();
  return (
    element.localName === 'input' &&
    (type === 'checkbox' || type === 'radio') &&
    attributeOf(element, 'checked') !== undefined
  );
}

function isEmpty(element: TreeElement): boolean {
  for (let node = element.first; node !== null; node = node.next) {
    if (isElement(node) || (isText(node) && node.data !== '')) return false;
  }
  return true;
}

/** `an+b` */
interface Nth {
  a: number;
  b: number;
}

/** @returns undefined when the text is not an `an+b` expression */
function parseNth(text: string): Nth | undefined {
  const compact = text.trim().toLowerCase();
  if (compact === 'odd') return { a: 2, b: 1 };
  if (compact === 'even') return { a: 2, b: 0 };
  const single = /^[+-]?\d{1,9}$/.exec(compact);
  if (single) return { a: 0, b: Number(compact) };
  const match = /^([+-]?\d{0,9})n(?:\s*([+-])\s*(\d{1,9}))?$/.exec(compact);
  if (!match) return undefined;
  const [, factor = '', sign, offset] = match;
  const a = factor === '' || factor === '+' ? 1 : factor === '-' ? -1 : Number(factor);
  return { a, b: offset === undefined ? 0 : Number(`${sign}${offset}`) };
}

function isNth({ a, b }: Nth, position: number): boolean {
  return a === 0 ? position === b : (position - b) % a === 0 && (position - b) / a >= 0;
}

/** Memo keys of the positions; each holds one array per page. */
const POSITIONS = {
  child: { kind: 'nth-child' },
  lastChild: { kind: 'nth-last-child' },
  ofType: { kind: 'nth-of-type' },
  lastOfType: { kind: 'nth-last-of-type' },
} as const;

type PositionKind = keyof typeof POSITIONS;

function typeNameOf(element: TreeElement): string {
  return element.namespace === HTML_NAMESPACE
    ? element.localName
    : `${element.namespace} ${element.localName}`;
}

/** Positions among siblings of one kind, counted from either end, in one pass over the page. */
function computePositions(document: PageDocument, kind: PositionKind): Int32Array {
  const { elements } = document;
  const positions = new Int32Array(elements.length);
  const fromEnd = kind === 'lastChild' || kind === 'lastOfType';
  const byType = kind === 'ofType' || kind === 'lastOfType';
  const neighbour = fromEnd ? nextElement : previousElement;
  const onward = fromEnd ? previousElement : nextElement;
  for (const element of elements) {
    if (neighbour(element) !== null) continue;
    const counts = new Map<string, number>();
    let position = 0;
    for (let sibling: TreeElement | null = element; sibling !== null; sibling = onward(sibling)) {
      if (byType) {
        const name = typeNameOf(sibling);
        position = (counts.get(name) ?? 0) + 1;
        counts.set(name, position);
      } else {
        position += 1;
      }
      positions[sibling.order] = position;
    }
  }
  return positions;
}

function positionOf(document: PageDocument, kind: PositionKind, element: TreeElement): number {
  const key = POSITIONS[kind];
  const known = document.memo.get(key);
  const positions = known instanceof Int32Array ? known : computePositions(document, kind);
  if (positions !== known) document.memo.set(key, positions);
  return positions[element.order] ?? 0;
}

function nthTest(kind: PositionKind, nth: Nth): Test {
  return (element, { document }) => isNth(nth, positionOf(document, kind, element));
}

const FIRST = { a: 0, b: 1 };

const onlyOfType: Test = (element, matching) =>
  nthTest('ofType', FIRST)(element, matching) && nthTest('lastOfType', FIRST)(element, matching);

/** Pseudo-classes without an argument. */
const PLAIN = new Map<string, Test>([
  ['root', (element) => !isElement(element.parent)],
  ['empty', isEmpty],
  ['first-child', (element) => previousElement(element) === null],
  ['last-child', (element) => nextElement(element) === null],
  ['only-child', (element) => previousElement(element) === null && nextElement(element) === null],
  ['first-of-type', nthTest('ofType', FIRST)],
  ['last-of-type', nthTest('lastOfType', FIRST)],
  ['only-of-type', onlyOfType],
  ['link', isLink],
  ['any-link', isLink],
  ['checked', isChecked],
  ['disabled', isDisabled],
  ['enabled', (element) => FORM_CONTROLS.has(element.localName) && !isDisabled(element)],
  ['scope', (element, { scope }) => (scope === null ? !isElement(element.parent) : element === scope)],
]);

const NTH = new Map<string, PositionKind>([
  ['nth-child', 'child'],
  ['nth-last-child', 'lastChild'],
  ['nth-of-type', 'ofType'],
  ['nth-last-of-type', 'lastOfType'],
]);

function langTest(ranges: string): Test {
  const wanted = ranges.split(',').map((range) =>
    range
      .trim()
      .replaceAll(/^["']|["']$/g, '')
      .toLowerCase(),
  );
  return (element) => {
    for (let up: TreeElement | null = element; up !== null; up = parentElement(up)) {
      const tag = attributeOf(up, 'lang')?.toLowerCase();
      if (tag !== undefined) return wanted.some((range) => tag === range || tag.startsWith(`${range}-`));
    }
    return false;
  };
}

/** `:contains("…")`: searches the page's text. Elements are tested in document order, so it is read about once. */
function containsTest(needle: string, caseless: boolean): Test {
  const key = { contains: needle };
  const wanted = caseless ? needle.toLowerCase() : needle;
  return (element, { document }) => {
    const { text, starts, ends } = textMapOf(document);
    let state = document.memo.get(key) as { from: number; at: number; text: string } | undefined;
    if (state === undefined) {
      state = { from: 0, at: -1, text: caseless ? text.toLowerCase() : text };
      state.at = state.text.indexOf(wanted);
      document.memo.set(key, state);
    }
    const start = starts[element.order] ?? 0;
    if (start < state.from || (state.at !== -1 && start > state.at)) {
      state.from = start;
      state.at = state.text.indexOf(wanted, start);
    }
    return state.at !== -1 && state.at + wanted.length <= (ends[element.order] ?? 0);
  };
}

/** The test of a pseudo-class, or why it can't be used. */
export function pseudoTest(name: string, argument: string | null): Test | { reason: string } {
  const plain = PLAIN.get(name);
  if (plain) return argument === null ? plain : { reason: `:${name} takes no argument` };
  const kind = NTH.get(name);
  if (kind) {
    const nth = parseNth(argument ?? '');
    return nth ? nthTest(kind, nth) : { reason: `:${name} needs an argument like 2, odd or 3n+1` };
  }
  if (name === 'contains' || name === 'icontains') {
    return argument ? containsTest(argument, name === 'icontains') : { reason: `:${name} needs a text` };
  }
  if (name === 'lang') return argument ? langTest(argument) : { reason: ':lang needs a language' };
  return { reason: `:${name} is not supported` };
}
