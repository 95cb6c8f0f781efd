import { HTML_NAMESPACE, nextElement, previousElement, type TreeElement } from '../tree/tree.ts';
import type { PageDocument } from '../tree/document.ts';
import type { Test } from './selector.ts';

/** `an+b` */
export interface Nth {
  a: number;
  b: number;
}

/** @returns undefined when the text is not an `an+b` expression */
export function parseNth(text: string): Nth | undefined {
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

export type PositionKind = keyof typeof POSITIONS;

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

export function nthTest(kind: PositionKind, nth: Nth): Test {
  return (element, { document }) => isNth(nth, positionOf(document, kind, element));
}
