import { queryAll } from '../schema/matches.ts';
import { isAboutLooks, isGenerated, labelOf } from '../schema/names.ts';
import { isNumberText } from '../schema/numbers.ts';
import { suggestColumns, type Target } from './columns.ts';
import { suggestCss, type Suggestion } from './selectors.ts';

/** Rows that repeat on a page, and the clicked element within one of them. */
export interface ListGuess {
  /** Selects each row. */
  rows: string;
  count: number;
  /** The row that the clicked element is in. */
  row: Element;
  /** Selectors of the clicked value within its row, best first; the row itself is `:scope`. */
  columns: readonly Suggestion[];
}

/** Fewer rows are not proposed as a list. */
export const MIN_ROWS = 3;

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = [];
  for (let node: Element | null = element; node !== null; node = node.parentElement) found.push(node);
  return found;
}

/** The class names of an element that say what it holds. */
function meantClasses({ classList }: Element): string[] {
  return [...classList].filter((name) => !isGenerated(name) && !isAboutLooks(name));
}

/** The class names that two elements share and that mean something. */
function sharedClasses(a: Element, b: Element): string[] {
  return meantClasses(a).filter((name) => b.classList.contains(name));
}

function rowSelectors(a: Element, b: Element): string[] {
  const tag = a.localName;
  const shared = sharedClasses(a, b).map((name) => `.${CSS.escape(name)}`);
  const parent = a.parentElement;
  const outer = parent === null ? [] : suggestCss(parent).map(({ selector }) => selector);
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
  if (!firstRow || !secondRow || !alike(firstRow, secondRow)) return undefined;
  return listOf(firstRow, secondRow, [
    { row: firstRow, element: first },
    { row: secondRow, element: second },
  ]);
}

function textOf(element: Element | undefined): string {
  return (element?.textContent ?? '').trim();
}

/**
 * Whether two clicked elements hold the same kind of value: by their labels, else by their classes, else by what the
 * list of both reads. Beside one another they have the same classes: an old price is no price.
 */
export function isOneKind(first: Element, second: Element, { rows, columns }: ListGuess): boolean {
  if (textOf(labelOf(first)) !== textOf(labelOf(second))) return false;
  const all = new Set([...meantClasses(first), ...meantClasses(second)]);
  const shared = sharedClasses(first, second);
  if (all.size > 0)
    return first.parentElement === second.parentElement ? shared.length === all.size : shared.length > 0;
  const isNumber = [first, second].some((one) => isNumberText(textOf(one)));
  const [column] = columns;
  if (!isNumber || column === undefined) return true;
  const read = queryAll(first.ownerDocument, rows).flatMap((row) =>
    queryAll(row, column.selector).slice(0, 1),
  );
  return read.map(textOf).every((text) => text === '' || isNumberText(text));
}

/**
 * The list of two rows, by the shortest selector that has both and holds none within another. Its column reads each
 * clicked element in its row.
 */
function listOf(a: Element, b: Element, clicked: readonly Target[]): ListGuess | undefined {
  const siblings = [...(a.parentElement?.children ?? [])].filter((other) => alike(a, other)).length;
  const [best] = rowSelectors(a, b)
    .map((rows) => ({ rows, matched: [...a.ownerDocument.querySelectorAll(rows)] }))
    .filter(({ matched }) => matched.includes(a) && matched.includes(b))
    .filter(({ matched }) => !matched.some((one) => one !== a && (one.contains(a) || a.contains(one))))
    .map(({ rows, matched }) => ({
      rows,
      matched,
      cost: Math.abs(matched.length - siblings) * 4 + rows.length,
    }))
    .sort((x, y) => x.cost - y.cost);
  if (best === undefined) return undefined;
  const { rows, matched } = best;
  const columns = columnsOf(matched, clicked);
  return columns.length === 0 ? undefined : { rows, count: matched.length, row: a, columns };
}

/** Selectors of clicked elements within their rows; of the rows themselves when these were clicked. */
export function columnsOf(rows: readonly Element[], clicked: readonly Target[]): readonly Suggestion[] {
  return clicked.every(({ row, element }) => row === element)
    ? [{ selector: ':scope', count: rows.length, why: 'the row itself' }]
    : suggestColumns(rows, clicked);
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
    const list = twin && listOf(row, twin, [{ row, element }]);
    if (list !== undefined && list.count >= MIN_ROWS) return list;
  }
  return undefined;
}
