import { isAboutLooks, isGenerated, MEANT_RELS } from '../schema/names.ts';
import { queryAll } from '../schema/matches.ts';
import { attributePart, NAMING_ATTRIBUTES, nthOf, type Suggestion } from './selectors.ts';

/** An element that a column has to read in its row. */
export interface Target {
  row: Element;
  element: Element;
}

/** A part of a selector and how much it says: 0 names the value, 2 is its tag alone. */
interface Part {
  text: string;
  cost: number;
  why: string;
}

/** What tells elements of one tag apart: more than any name costs, less than reading another value. */
const COST_OF_TAG = 3;
const COST_OF_POSITION = 4;
/** A selector that has several matches in a row reads the first, which is another value in another row. */
const COST_OF_SEVERAL = 2.2;
const COST_OF_ONE_ROW = 1.5;
const MOST_ROWS = 60;
const MOST_ANCESTORS = 8;
const MAX_VALUE = 60;
const MAX_SUGGESTIONS = 4;

/** Tags that say what they hold. */
const TELLING =
  /^(?:h[1-6]|time|img|del|s|ins|mark|address|figcaption|blockquote|button|input|select|video)$/;
/** Attributes whose mere presence says nothing about an element's kind, or that other parts read. */
const NOT_TELLING = /^(?:class|id|style|href|src|srcset|alt|tabindex|width|height|loading|target|on\w+)$/;

function classPart(name: string): Part {
  const text = `.${CSS.escape(name)}`;
  if (isGenerated(name)) return { text, cost: 2, why: 'class of a build tool' };
  return isAboutLooks(name) ? { text, cost: 1, why: 'class for styling' } : { text, cost: 0, why: 'class' };
}

function attributeParts(element: Element): Part[] {
  return [...element.attributes].flatMap(({ name, value }): Part[] => {
    const isName = NAMING_ATTRIBUTES.includes(name) || (name === 'rel' && MEANT_RELS.has(value));
    const hasName = value !== '' && value.length <= MAX_VALUE && !isGenerated(value);
    const named = hasName ? attributePart(name, value) : '';
    if (isName && hasName) return [{ text: named, cost: 0, why: `attribute ${name}` }];
    if (NOT_TELLING.test(name) || !/^[a-z][\w-]*$/.test(name)) return [];
    const present = { text: `[${name}]`, cost: 1, why: `has ${name}` };
    return hasName ? [present, { text: named, cost: 1.1, why: `attribute ${name}` }] : [present];
  });
}

/** The ways to name one element of a row by itself, without its tag. */
function namesOf(element: Element): Part[] {
  const classes = [...element.classList].map(classPart);
  const all = classes.length > 1 ? classes.map(({ text }) => text).join('') : '';
  const most = Math.max(0, ...classes.map(({ cost }) => cost));
  const exactly = element.getAttribute('class') ?? '';
  const isShort = classes.length > 0 && exactly.length <= MAX_VALUE;
  return [
    ...attributeParts(element),
    ...classes,
    ...(all === '' ? [] : [{ text: all, cost: most + 0.3, why: 'all its classes' }]),
    // Without a class that its neighbours have besides.
    ...(isShort
      ? [{ text: attributePart('class', exactly), cost: most + 0.8, why: 'these classes and no others' }]
      : []),
  ];
}

function tagPart(element: Element): Part {
  const tag = CSS.escape(element.localName);
  return TELLING.test(tag)
    ? { text: tag, cost: 0.5, why: `the ${tag}` }
    : { text: tag, cost: COST_OF_TAG, why: `every ${tag}` };
}

/** The steps by position from an ancestor down to an element. */
function stepsBetween(ancestor: Element, element: Element): string {
  const steps: string[] = [];
  for (let node: Element | null = element; node !== null && node !== ancestor; node = node.parentElement)
    steps.unshift(nthOf(node));
  return steps.join(' > ');
}

/** Selectors of an element relative to its row: by its own names, by names around it, and by its position. */
function partsWithin({ row, element }: Target): Part[] {
  const names = namesOf(element);
  const tag = tagPart(element);
  const own = [
    ...names,
    ...names.map((part) => ({ ...part, text: tag.text + part.text, cost: part.cost + 0.1 })),
  ];
  const found: Part[] = [...own.filter(({ text }) => !text.startsWith(`${tag.text}[`)), tag];
  const outside = own.length === 0 ? [`${tag.text}:not([class])`] : [];
  found.push(...outside.map((text) => ({ text, cost: tag.cost - 0.1, why: `${tag.text} without a class` })));
  let depth = 1;
  for (let node = element.parentElement; node !== null && node !== row; node = node.parentElement) {
    for (const outer of depth > MOST_ANCESTORS ? [] : [...namesOf(node), tagPart(node)].slice(0, 5)) {
      const base = outer.cost + depth * 0.05;
      const why = `within ${outer.text}`;
      for (const part of names.slice(0, 4))
        found.push({ text: `${outer.text} ${part.text}`, cost: part.cost + 0.3 + base / 4, why });
      found.push({ text: `${outer.text} ${tag.text}`, cost: Math.min(tag.cost, 1.4) + base / 2, why });
      found.push({
        text: `${outer.text} > ${stepsBetween(node, element)}`,
        cost: COST_OF_POSITION - 0.6 + base / 2,
        why: `its position in ${outer.text}`,
      });
    }
    depth += 1;
  }
  found.push({
    text: `:scope > ${stepsBetween(row, element)}`,
    cost: COST_OF_POSITION,
    why: 'position only: breaks when the page changes',
  });
  return found;
}

interface Judged extends Part {
  matches: Element[][];
  filled: number;
  /** The rows in which it has more than one match. */
  several: number;
  total: number;
}

function judge(part: Part, rows: readonly Element[]): Judged {
  const matches = rows.map((row) => queryAll(row, part.text));
  const filled = matches.filter(({ length }) => length > 0).length;
  const several = matches.filter(({ length }) => length > 1).length;
  // The text of one row, as an attribute, doesn't name a column.
  const isOfOneRow = part.text.includes('="') && filled === 1 && rows.length > 1;
  const total =
    part.cost +
    (isOfOneRow ? COST_OF_ONE_ROW : 0) +
    (several > 0 ? COST_OF_SEVERAL + (0.2 * several) / rows.length : 0) +
    0.5 * (1 - filled / rows.length);
  return { ...part, matches, filled, several, total };
}

/** The same selector without the neighbours that it also matches, by a class or an attribute that only they have. */
function without({ text, cost, matches }: Judged, element: Element): Part[] {
  const others = matches.filter(({ length }) => length > 1).flat();
  const marks = new Set(
    others.flatMap((other) => [
      ...[...other.classList]
        .filter((name) => !element.classList.contains(name))
        .map((name) => `.${CSS.escape(name)}`),
      ...other
        .getAttributeNames()
        .flatMap((name) =>
          element.hasAttribute(name) || !/^[a-z][\w-]*$/.test(name) || name === 'style' ? [] : [`[${name}]`],
        ),
    ]),
  );
  return [...marks]
    .slice(0, 12)
    .map((mark) => ({ text: `${text}:not(${mark})`, cost: cost + 0.5, why: `not ${mark}` }));
}

/**
 * Selectors relative to the rows of a list, best first. Each reads exactly the wanted element in each target's row:
 * it is the selector's first match there. A name that other rows lack comes before a place that they all have.
 * @param rows all rows of the list on the page
 * @returns empty when the targets share no selector
 */
export function suggestColumns(rows: readonly Element[], targets: readonly Target[]): Suggestion[] {
  const [first] = targets;
  if (first === undefined) return [];
  const sample = [...new Set([...targets.map(({ row }) => row), ...rows.slice(0, MOST_ROWS)])];
  const isExact = ({ matches }: Judged): boolean =>
    targets.every(({ row, element }) => matches[sample.indexOf(row)]?.[0] === element);
  const parts = partsWithin(first).map((part) => judge(part, sample));
  const narrowed = parts
    .filter(({ several, text }) => several > 0 && !/[\s:]/.test(text))
    .flatMap((part) => without(part, first.element).map((narrower) => judge(narrower, sample)));
  const seen = new Set<string>();
  const numbers = new Map<Element, number>();
  const numberOf = (match: Element): number => {
    const number = numbers.get(match) ?? numbers.size;
    numbers.set(match, number);
    return number;
  };
  return [...parts, ...narrowed]
    .filter((part) => isExact(part))
    .toSorted((a, b) => a.total - b.total || a.text.length - b.text.length)
    .filter(({ matches }) => {
      // Of selectors that read the same, the best stays.
      const read = matches.map(([match]) => match && numberOf(match)).join();
      return !seen.has(read) && seen.add(read);
    })
    .slice(0, MAX_SUGGESTIONS)
    .map(({ text, filled, several, why }) => ({
      selector: text,
      count: filled,
      why: several === 0 ? why : `${why}; some rows have several, the first is read`,
    }));
}

/** Elements like the one around the clicked one that repeat within one row. */
export interface InnerList {
  /** Relative to the row; matches all of them there, and nothing else. */
  selector: string;
  count: number;
}

/** The list within a row that an element belongs to; undefined when nothing like it repeats beside it. */
export function findInnerList({ row, element }: Target): InnerList | undefined {
  for (let item = element; item !== row && item.parentElement !== null; item = item.parentElement) {
    const { parentElement: parent, localName } = item;
    const isAlike = ({ localName: tag, className }: Element): boolean =>
      tag === localName && className === item.className;
    const items = [...parent.children].filter(isAlike);
    if (items.length < 2) continue;
    const inner = element === item ? '' : ` > ${stepsBetween(item, element)}`;
    const own = [...namesOf(item).filter(({ cost }) => cost < 2), tagPart(item)].map(({ text }) => text);
    const outer = parent === row ? [':scope > '] : namesOf(parent).map(({ text }) => `${text} > `);
    const places = parent === row ? [] : [`:scope > ${stepsBetween(row, parent)} > `];
    const found = [...own, ...[...outer, ...places].flatMap((text) => own.map((part) => text + part))]
      .map((text) => `${text}${inner}`)
      .find((text) => {
        const matches = queryAll(row, text);
        return (
          matches.includes(element) && matches.every((match) => items.some((one) => one.contains(match)))
        );
      });
    if (found !== undefined) return { selector: found, count: queryAll(row, found).length };
  }
  return undefined;
}
