import { type TreeElement, attributeOf, isElement, isText, parentElement } from '@gleaner/html';
import { isLeftOut } from './choice.ts';
import { type Convert, deeper } from './conversion.ts';
import { toFlow, type Block, type Item } from './nodes.ts';

/** What CommonMark takes as the number of an item. */
function isNumber(value: number): boolean {
  return value >= 0 && value < 1e9;
}

function wholeIn(element: TreeElement, attribute: string): number | undefined {
  const value = Number.parseInt(attributeOf(element, attribute) ?? '', 10);
  return Number.isNaN(value) ? undefined : value;
}

/** The numbers of the items, as a browser counts them; undefined for a list without numbers. */
function numbersOf(list: TreeElement, items: readonly (TreeElement | undefined)[]): number[] | undefined {
  if (list.localName !== 'ol') return undefined;
  const isReversed = attributeOf(list, 'reversed') !== undefined;
  let next = wholeIn(list, 'start') ?? (isReversed ? items.length : 1);
  const numbers = items.map((item) => {
    const number = (item === undefined ? undefined : wholeIn(item, 'value')) ?? next;
    next = number + (isReversed ? -1 : 1);
    return number;
  });
  return numbers.every(isNumber) ? numbers : numbers.map((_, index) => index + 1);
}

interface ListItem {
  /** Undefined of content that stands in no item. */
  element: TreeElement | undefined;
  blocks: Block[];
}

export const convertList: Convert = (conversion, list, around, out) => {
  const items: ListItem[] = [];
  let stray: Item[] = [];
  // List content outside any item belongs to the item before it.
  const flush = (): void => {
    const blocks = toFlow(stray);
    stray = [];
    if (blocks.length === 0) return;
    const last = items.at(-1);
    if (last === undefined) items.push({ element: undefined, blocks });
    else last.blocks.push(...blocks);
  };
  for (let node = list.first; node !== null; node = node.next) {
    if (!isElement(node) || node.localName !== 'li') {
      conversion.write(node, deeper(around), stray);
      continue;
    }
    if (isLeftOut(conversion.choice, node)) continue;
    flush();
    const blocks = toFlow(conversion.inside(node, deeper(around)));
    if (blocks.length > 0 || node.first === null) items.push({ element: node, blocks });
  }
  flush();
  if (items.every(({ blocks }) => blocks.length === 0)) return;
  const numbers = numbersOf(
    list,
    items.map(({ element }) => element),
  );
  out.push({ type: 'list', numbers, items: items.map(({ blocks }) => blocks) });
};

const MAX_AROUND_BOX = 4;

/** The box that an item begins with: done, or to do. Undefined for other controls. */
export function checkBoxOf(element: TreeElement): { type: 'checkBox'; isChecked: boolean } | undefined {
  if (element.localName !== 'input' || attributeOf(element, 'type')?.toLowerCase() !== 'checkbox')
    return undefined;
  let at = element;
  for (let level = 0; level < MAX_AROUND_BOX; level += 1) {
    for (let { prev } = at; prev !== null; prev = prev.prev)
      if (!isText(prev) || prev.data.trim() !== '') return undefined;
    const parent = parentElement(at);
    if (parent?.localName === 'li')
      return { type: 'checkBox', isChecked: attributeOf(element, 'checked') !== undefined };
    if (parent === null) return undefined;
    at = parent;
  }
  return undefined;
}
