import {
  attributeOf,
  isElement,
  isText,
  readOwnTextOf,
  readTextOf,
  type TreeData,
  type TreeElement,
} from '@gleaner/html';
import type { PageModel } from './page-model.ts';
import { foldXPath } from './text.ts';

/** The part of a found element that is read. */
export type StructuralReading =
  | { readonly kind: 'text' }
  | { readonly kind: 'own_text' }
  | { readonly kind: 'attribute'; readonly name: string }
  /** The n-th non-blank text directly in the element. */
  | { readonly kind: 'text_node'; readonly n: number }
  /** All texts inside, joined by spaces. */
  | { readonly kind: 'spaced' };

/** The texts directly in the element that are not blank. */
export function textNodesOf(element: TreeElement): TreeData[] {
  const texts: TreeData[] = [];
  for (let node = element.first; node !== null; node = node.next) {
    if (isText(node) && foldXPath(node.data) !== '') texts.push(node);
  }
  return texts;
}

function spacedTextOf(element: TreeElement): string {
  const parts: string[] = [];
  const walk = (inside: TreeElement, depth: number): void => {
    if (inside.localName === 'script' || inside.localName === 'style' || depth > 200) return;
    for (let node = inside.first; node !== null; node = node.next) {
      if (isText(node)) {
        if (foldXPath(node.data) !== '') parts.push(node.data);
      } else if (isElement(node)) walk(node, depth + 1);
    }
  };
  walk(element, 0);
  return parts.join(' ');
}

export function readElement(
  { document }: PageModel,
  element: TreeElement,
  reading: StructuralReading,
): string | undefined {
  if (reading.kind === 'text') return readTextOf(document, element);
  if (reading.kind === 'own_text') return readOwnTextOf(document, element);
  if (reading.kind === 'attribute') return attributeOf(element, reading.name);
  return reading.kind === 'text_node' ? textNodesOf(element)[reading.n - 1]?.data : spacedTextOf(element);
}

/** What a source beside its selector needs for the reading; undefined when only XPath can read it. */
export function attributeFor(reading: StructuralReading): { attr?: string } | undefined {
  if (reading.kind === 'text') return {};
  if (reading.kind === 'own_text') return { attr: 'own_text' };
  return reading.kind === 'attribute' ? { attr: reading.name } : undefined;
}
