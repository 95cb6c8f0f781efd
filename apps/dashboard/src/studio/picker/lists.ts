import { isAboutLooks, isGenerated } from '../schema/names.ts';
import { suggestSelectors } from './selectors.ts';

/** Rows that repeat on a page, and the clicked element within one of them. */
export interface ListGuess {
  /** Selects each row. */
  rows: string;
  count: number;
  /** Selects the clicked value within its row; empty when the row itself was clicked. */
  column: string;
}

/** Fewer rows are not proposed as a list. */
export const MIN_ROWS = 3;

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = [];
  for (let node: Element | null = element; node !== null; node = node.parentElement) found.push(node);
  return found;
}

/** The class names that two elements share and that mean something. */
function sharedClasses(a: Element, b: Element): string[] {
  return [...a.classList].filter(
    (name) => b.classList.contains(name) && !isGenerated(name) && !isAboutLooks(name),
  );
}

function rowSelectors(a: Element, b: Element): string[] {
  const tag = a.localName;
  const shared = sharedClasses(a, b).map((name) => `.${CSS.escape(name)}`);
  const parent = a.parentElement;
  const outer =
    parent === null ? [] : suggestSelectors(parent, a.ownerDocument).map(({ selector }) => selector);
  const own = [...shared, ...shared.map((text) => tag + text)];
  return [
    ...own,
    ...outer.flatMap((text) => [...own.map((part) => `${text} > ${part}`), `${text} > ${tag}`]),
  ];
}

function alike(a: Element, b: Element): boolean {
  return a.localName === b.localName;
}

/**
 * The list that two clicked elements belong to: the row is the outermost element around the first that doesn't hold
 * the second. Undefined when they share no list.
 */
export function guessList(first: Element, second: Element): ListGuess | undefined {
  if (first === second || first.contains(second) || second.contains(first)) return undefined;
  const firstRow = ancestorsOf(first).findLast((one) => !one.contains(second));
  const secondRow = ancestorsOf(second).findLast((one) => !one.contains(first));
  return firstRow && secondRow && alike(firstRow, secondRow) ? listOf(firstRow, secondRow, first) : undefined;
}

/**
 * The list of two rows, by the shortest selector that has both and holds none within another.
 * @param element the clicked one, in the first row
 */
function listOf(a: Element, b: Element, element: Element): ListGuess | undefined {
  const siblings = [...(a.parentElement?.children ?? [])].filter((other) => alike(a, other)).length;
  const [best] = rowSelectors(a, b)
    .map((rows) => ({ rows, matched: [...a.ownerDocument.querySelectorAll(rows)] }))
    .filter(({ matched }) => matched.includes(a) && matched.includes(b))
    .filter(({ matched }) => !matched.some((one) => one !== a && (one.contains(a) || a.contains(one))))
    .map(({ rows, matched: { length: count } }) => ({
      rows,
      count,
      cost: Math.abs(count - siblings) * 4 + rows.length,
    }))
    .sort((x, y) => x.cost - y.cost);
  if (best === undefined) return undefined;
  const { rows, count } = best;
  return { rows, count, column: a === element ? '' : columnSelector(element, a, rows) };
}

/** The list around one element, when similar elements repeat beside it; a single click can offer it. */
export function findRepetition(element: Element): ListGuess | undefined {
  for (const row of ancestorsOf(element)) {
    if (row.localName === 'body' || row.parentElement === null) return undefined;
    const [first] = row.classList;
    const twin = [...row.parentElement.children].find(
      (other) =>
        other !== row && alike(row, other) && (first === undefined || sharedClasses(row, other).length > 0),
    );
    const list = twin && listOf(row, twin, element);
    if (list !== undefined && list.count >= MIN_ROWS) return list;
  }
  return undefined;
}

/** A selector for an element relative to its row: its own name with one match in most rows. */
export function columnSelector(element: Element, row: Element, rows: string): string {
  const all = [...row.ownerDocument.querySelectorAll(rows)].slice(0, 50);
  let best = { selector: '', score: -Infinity };
  for (const [rank, { selector }] of suggestSelectors(element, row).entries()) {
    const counts = all.map((one) => one.querySelectorAll(selector).length);
    const filled = counts.filter((count) => count > 0).length;
    const exact = counts.filter((count) => count === 1).length;
    // A name that some rows lack is better than a position that all of them have.
    const isPlace = /:nth-|^[^.#[]*$/.test(selector);
    const score = (filled + exact) / all.length - rank * 0.25 - (isPlace ? 0.6 : 0);
    if (score > best.score) best = { selector, score };
  }
  return best.selector;
}

/** The row of a list that contains the element. */
export function rowAround(element: Element, rows: string): Element | undefined {
  try {
    return element.closest(rows) ?? undefined;
  } catch {
    return undefined;
  }
}
