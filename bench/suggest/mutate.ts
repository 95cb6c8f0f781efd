import { parse, serialize, type DefaultTreeAdapterTypes } from 'parse5';
import { createRandom } from '../../test/random.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;
type Parent = DefaultTreeAdapterTypes.ParentNode;

function isElement(node: Node | Parent): node is Element {
  return 'tagName' in node;
}

function elementsIn(root: Parent): Element[] {
  const found: Element[] = [];
  const walk = (parent: Parent): void => {
    for (const child of parent.childNodes) {
      if (!isElement(child)) continue;
      found.push(child);
      walk(child);
    }
  };
  walk(root);
  return found;
}

function makeElement(
  tagName: string,
  attributes: Record<string, string>,
  text: string,
  parent: Parent,
): Element {
  const element: Element = {
    nodeName: tagName,
    tagName,
    attrs: Object.entries(attributes).map(([name, value]) => ({ name, value })),
    childNodes: [],
    namespaceURI: 'http://www.w3.org/1999/xhtml' as Element['namespaceURI'],
    parentNode: parent,
  };
  if (text !== '') element.childNodes.push({ nodeName: '#text', value: text, parentNode: element });
  return element;
}

const BLOCKS = new Set(['div', 'section', 'article', 'table', 'ul', 'dl', 'p', 'form', 'h2', 'h3', 'h4']);
const HOLDERS = new Set(['div', 'body', 'section', 'article', 'main', 'td', 'form', 'center']);

/** Classes get new names, the same on every page of a round. */
function renameClasses(elements: readonly Element[], round: number): void {
  for (const { attrs } of elements) {
    for (const attribute of attrs) {
      if (attribute.name !== 'class') continue;
      attribute.value = attribute.value.replaceAll(/\S+/g, (name) => {
        let hash = round + 7;
        for (const character of name) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
        return hash % 10 < 7 ? `x${hash.toString(36)}` : name;
      });
    }
  }
}

function wrap(elements: readonly Element[], random: () => number): void {
  for (const element of elements) {
    const { tagName, childNodes } = element;
    if (!HOLDERS.has(tagName) || childNodes.length === 0 || random() > 0.08) continue;
    const wrapper = makeElement('div', { class: 'wrap' }, '', element);
    wrapper.childNodes = childNodes;
    for (const child of childNodes) child.parentNode = wrapper;
    element.childNodes = [wrapper];
  }
}

function reorder(elements: readonly Element[], random: () => number): void {
  for (const element of elements) {
    if (!HOLDERS.has(element.tagName) || random() > 0.15) continue;
    const at = element.childNodes.flatMap((node, index) =>
      isElement(node) && BLOCKS.has(node.tagName) ? [index] : [],
    );
    const first = Math.floor(random() * (at.length - 1));
    const [a, b] = [at[first], at[first + 1]];
    if (a === undefined || b === undefined) continue;
    const [left, right] = [element.childNodes[a], element.childNodes[b]];
    if (left === undefined || right === undefined) continue;
    element.childNodes[a] = right;
    element.childNodes[b] = left;
  }
}

function insertAds(elements: readonly Element[], random: () => number): void {
  for (const element of elements) {
    if (!HOLDERS.has(element.tagName) || random() > 0.06) continue;
    const at = Math.floor(random() * (element.childNodes.length + 1));
    element.childNodes.splice(
      at,
      0,
      makeElement('div', { class: 'promo' }, 'Save 20% on orders over $50 today', element),
    );
  }
}

function insertRows(elements: readonly Element[], random: () => number): void {
  for (const element of elements) {
    const isTable = element.tagName === 'tbody';
    if (!(isTable || element.tagName === 'ul' || element.tagName === 'dl') || random() > 0.35) continue;
    const rows = element.childNodes.flatMap((node, index) => (isElement(node) ? [{ node, index }] : []));
    if (rows.length < 2) continue;
    const chosen = rows[Math.floor(random() * rows.length)];
    if (chosen === undefined) continue;
    const at = chosen.index;
    if (isTable) {
      const row = makeElement('tr', {}, '', element);
      row.childNodes = [makeElement('td', {}, 'Availability', row), makeElement('td', {}, 'Ask us', row)];
      element.childNodes.splice(at, 0, row);
    } else if (element.tagName === 'ul') {
      element.childNodes.splice(at, 0, makeElement('li', {}, 'Availability: ask us', element));
    } else if (chosen.node.tagName === 'dt') {
      element.childNodes.splice(
        at,
        0,
        makeElement('dt', {}, 'Availability', element),
        makeElement('dd', {}, 'Ask us', element),
      );
    }
  }
}

/** The page as its site could serve it after a change of its template. The same round changes all pages in the same way. */
export function mutate(html: string, round: number): string {
  const document = parse(html);
  const random = createRandom(round + 1);
  renameClasses(elementsIn(document), round);
  reorder(elementsIn(document), random);
  wrap(elementsIn(document), random);
  insertRows(elementsIn(document), random);
  insertAds(elementsIn(document), random);
  return serialize(document);
}
