import { attributeOf, isElement, isText, readOwnTextOf, readTextOf, type TreeElement } from './dom.ts';
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

function textNodesOf(element: TreeElement): string[] {
  const texts: string[] = [];
  for (let node = element.first; node !== null; node = node.next) {
    if (isText(node) && foldXPath(node.data) !== '') texts.push(node.data);
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
  model: PageModel,
  element: TreeElement,
  reading: StructuralReading,
): string | undefined {
  switch (reading.kind) {
    case 'text': {
      return readTextOf(model.document, element);
    }
    case 'own_text': {
      return readOwnTextOf(model.document, element);
    }
    case 'attribute': {
      return attributeOf(element, reading.name);
    }
    case 'text_node': {
      return textNodesOf(element)[reading.n - 1];
    }
    case 'spaced': {
      return spacedTextOf(element);
    }
  }
}
