import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  classNamesOf,
  elementsById,
  firstChildElement,
  isElement,
  nextElement,
  textOf,
} from '@gleaner/html';
import { isPicture, pictureAddressOf } from '../pictures/picture.ts';
import type { Json } from './jsonpath.ts';
import { setOwn } from './loose-value.ts';

/** The most elements visited over all items. Repeated itemrefs could visit the same elements many times. */
const MAX_VISITS = 500_000;

/** Attributes that hold the value of a property, by element (HTML standard, "values"). */
const VALUE_ATTRIBUTES: Readonly<Record<string, string>> = {
  meta: 'content',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  track: 'src',
  video: 'src',
  a: 'href',
  area: 'href',
  link: 'href',
  object: 'data',
  data: 'value',
  meter: 'value',
};

function plainValue(document: PageDocument, element: TreeElement): string {
  if (isPicture(element)) {
    const address = pictureAddressOf(document, element);
    if (address !== undefined) return address;
  }
  const attribute = VALUE_ATTRIBUTES[element.localName];
  if (attribute !== undefined) return attributeOf(element, attribute)?.trim() ?? '';
  if (element.localName === 'time')
    return attributeOf(element, 'datetime') ?? textOf(document, element).trim();
  // schema.org pages use content= on any element, although the standard doesn't.
  return attributeOf(element, 'content') ?? textOf(document, element).trim();
}

function isItem(element: TreeElement): boolean {
  return attributeOf(element, 'itemscope') !== undefined;
}

function addProperty(item: Record<string, Json>, name: string, value: Json): void {
  const known = Object.hasOwn(item, name) ? item[name] : undefined;
  if (Array.isArray(known)) {
    known.push(value);
    return;
  }
  setOwn(item, name, known === undefined ? value : [known, value]);
}

/** Elements of one item: its subtree without nested items, then the elements that itemref names. */
function propertyElements(
  document: PageDocument,
  element: TreeElement,
  budget: { visits: number },
): TreeElement[] {
  const referred = classNamesOf(attributeOf(element, 'itemref') ?? '')
    .slice(0, 50)
    .flatMap((id) => elementsById(document, id).slice(0, 1))
    .filter((other) => other !== element);
  const found: TreeElement[] = [];
  const pending: TreeElement[] = [];
  const pushChildren = (parent: TreeElement): void => {
    const children: TreeElement[] = [];
    for (let child = firstChildElement(parent); child !== null; child = nextElement(child))
      children.push(child);
    for (const child of children.reverse()) pending.push(child);
  };
  pending.push(...referred.toReversed());
  pushChildren(element);
  while (pending.length > 0 && budget.visits > 0) {
    budget.visits -= 1;
    const next = pending.pop();
    if (next === undefined) break;
    if (attributeOf(next, 'itemprop') !== undefined) found.push(next);
    if (!isItem(next)) pushChildren(next);
  }
  return found;
}

function newItem(element: TreeElement): Record<string, Json> {
  const types = classNamesOf(attributeOf(element, 'itemtype') ?? '').map((type) =>
    type.replace(/^https?:\/\/schema\.org\//, ''),
  );
  const id = attributeOf(element, 'itemid');
  return {
    ...(types.length === 0 ? {} : { '@type': types.length === 1 ? (types[0] ?? '') : types }),
    ...(id === undefined ? {} : { '@id': id }),
  };
}

/** The page's top-level microdata items in the shape of JSON-LD: `{"@type": "Product", "name": …, "offers": {…}}`. */
export function readMicrodata(document: PageDocument): Json[] {
  const top: Json[] = [];
  const tasks: { element: TreeElement; item: Record<string, Json> }[] = [];
  for (const element of document.elements) {
    if (!isItem(element) || attributeOf(element, 'itemprop') !== undefined) continue;
    const item = newItem(element);
    top.push(item);
    tasks.push({ element, item });
  }
  const seen = new Set<TreeElement>();
  const budget = { visits: MAX_VISITS };
  // Nested items are appended while the list is walked.
  for (const task of tasks) {
    if (budget.visits <= 0) break;
    if (seen.has(task.element)) continue;
    seen.add(task.element);
    for (const property of propertyElements(document, task.element, budget)) {
      const isNested = isItem(property) && isElement(property);
      const inner = isNested ? newItem(property) : undefined;
      if (inner !== undefined) tasks.push({ element: property, item: inner });
      for (const name of classNamesOf(attributeOf(property, 'itemprop') ?? '')) {
        addProperty(task.item, name, inner ?? plainValue(document, property));
      }
    }
  }
  return top;
}
