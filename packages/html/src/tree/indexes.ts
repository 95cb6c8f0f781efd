import type { PageDocument } from './document.ts';
import { attributeOf, XmlElement, type TreeElement } from './tree.ts';

const NONE: readonly TreeElement[] = [];

/** Indexes the elements by one of their kinds of names. */
function buildIndex(
  document: PageDocument,
  kind: keyof PageDocument['indexes'],
  namesOf: (element: TreeElement) => readonly string[],
): Map<string, TreeElement[]> {
  const index = new Map<string, TreeElement[]>();
  for (const element of document.elements) {
    for (const name of namesOf(element)) {
      const list = index.get(name);
      if (list === undefined) index.set(name, [element]);
      else if (list.at(-1) !== element) list.push(element);
    }
  }
  document.indexes[kind] = index;
  return index;
}

/** Names of XML are found in any case, with and without their prefix. */
function tagNamesOf(element: TreeElement): string[] {
  if (!(element instanceof XmlElement)) return [element.localName];
  return [element.localName.toLowerCase(), element.qualifiedName.toLowerCase()];
}

function xmlNames({ elements }: PageDocument): Set<string> {
  const names = new Set<string>();
  for (const element of elements) {
    if (element instanceof XmlElement) names.add(element.localName).add(element.qualifiedName);
  }
  return names;
}

/** Whether an XML page has an element with the name, with or without prefix, in this case. */
export function hasXmlName(document: PageDocument, name: string): boolean {
  const known = document.memo.get(xmlNames);
  const names = known instanceof Set ? known : xmlNames(document);
  if (names !== known) document.memo.set(xmlNames, names);
  return names.has(name);
}

/** Elements by their name in the tree (`linearGradient` keeps its capital). */
export function elementsByTag(document: PageDocument, name: string): readonly TreeElement[] {
  const index = document.indexes.tag ?? buildIndex(document, 'tag', tagNamesOf);
  return index.get(name) ?? NONE;
}

export function classNamesOf(value: string): string[] {
  // Most elements have one class: no split.
  if (!/[ \t\n\f\r]/.test(value)) return value === '' ? [] : [value];
  return value.split(/[ \t\n\f\r]+/).filter((name) => name !== '');
}

function folded({ quirks }: PageDocument, name: string): string {
  return quirks ? name.toLowerCase() : name;
}

export function elementsByClass(document: PageDocument, name: string): readonly TreeElement[] {
  const index =
    document.indexes.class ??
    buildIndex(document, 'class', (element) =>
      classNamesOf(folded(document, attributeOf(element, 'class') ?? '')),
    );
  return index.get(folded(document, name)) ?? NONE;
}

export function elementsById(document: PageDocument, id: string): readonly TreeElement[] {
  const index =
    document.indexes.id ??
    buildIndex(document, 'id', (element) => {
      const value = attributeOf(element, 'id');
      return value === undefined ? [] : [folded(document, value)];
    });
  return index.get(folded(document, id)) ?? NONE;
}
