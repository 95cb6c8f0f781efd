import type { PageDocument } from './document.ts';
import { attributeOf, type TreeElement } from './tree.ts';

const NONE: readonly TreeElement[] = [];

function append(index: Map<string, TreeElement[]>, key: string, element: TreeElement): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [element]);
  else list.push(element);
}

/** Elements by their name in the tree (`linearGradient` keeps its capital). */
export function elementsByTag(document: PageDocument, name: string): readonly TreeElement[] {
  if (document.byTag === null) {
    const index = new Map<string, TreeElement[]>();
    for (const element of document.elements) append(index, element.localName, element);
    document.byTag = index;
  }
  return document.byTag.get(name) ?? NONE;
}

export function classNamesOf(value: string): string[] {
  // Most elements have one class: no split.
  if (!/[ \t\n\f\r]/.test(value)) return value === '' ? [] : [value];
  return value.split(/[ \t\n\f\r]+/).filter((name) => name !== '');
}

function buildClassIndex(document: PageDocument): Map<string, TreeElement[]> {
  const index = new Map<string, TreeElement[]>();
  for (const element of document.elements) {
    const value = attributeOf(element, 'class');
    if (value === undefined) continue;
    const names = classNamesOf(document.quirks ? value.toLowerCase() : value);
    for (const name of names) {
      const list = index.get(name);
      if (list === undefined) index.set(name, [element]);
      else if (list.at(-1) !== element) list.push(element);
    }
  }
  return index;
}

export function elementsByClass(document: PageDocument, name: string): readonly TreeElement[] {
  document.byClass ??= buildClassIndex(document);
  return document.byClass.get(document.quirks ? name.toLowerCase() : name) ?? NONE;
}

export function elementsById(document: PageDocument, id: string): readonly TreeElement[] {
  if (document.byId === null) {
    const index = new Map<string, TreeElement[]>();
    for (const element of document.elements) {
      const value = attributeOf(element, 'id');
      if (value !== undefined) append(index, document.quirks ? value.toLowerCase() : value, element);
    }
    document.byId = index;
  }
  return document.byId.get(document.quirks ? id.toLowerCase() : id) ?? NONE;
}
