import { isAboutLooks, isGenerated, labelOf, MEANT_RELS, toFieldName } from '../schema/names.ts';
import { queryAll, select, sourceOf } from '../schema/matches.ts';

/** A selector for an element that was clicked. */
export interface Suggestion {
  selector: string;
  /** Elements that it matches within the root. */
  count: number;
  /** Why it is good or bad, in a few words. */
  why: string;
}

/** A part of a selector that distinguishes an element, with its cost: less is better. */
interface Part {
  text: string;
  cost: number;
  why: string;
}

/** Attributes that name what their element holds. */
export const NAMING_ATTRIBUTES: readonly string[] = [
  'itemprop',
  'data-testid',
  'data-test',
  'data-test-id',
  'data-qa',
  'data-cy',
  'data-field',
  'data-role',
  'property',
  'role',
  'name',
];

const MAX_SUGGESTIONS = 4;
const MAX_ANCESTORS = 8;
const MAX_VALUE = 60;
const COST_OF_POSITION = 50;
/** A longer selector is hard to read; a position has no shorter one. */
const MAX_LENGTH = 200;
/** The engine refuses selectors of more parts. */
const MAX_STEPS = 40;

/** The attribute: a form's property of this name may be a control that is called so. */
function idOf(element: Element): string {
  return element.getAttribute('id') ?? '';
}

export function attributePart(name: string, value: string): string {
  return `[${name}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"]`;
}

const MIN_SLUG = 8;

/** Whether an id is made of the element's own text, like the anchor of a heading: the next page has another. */
function isOfContent(element: Element): boolean {
  const slug = toFieldName(idOf(element)) ?? '';
  return slug.length >= MIN_SLUG && toFieldName(element.textContent ?? '')?.startsWith(slug) === true;
}

/** The ways to select one element without its ancestors. */
function partsOf(element: Element): Part[] {
  const tag = element.localName;
  const parts: Part[] = [];
  const id = idOf(element);
  if (id !== '' && !isGenerated(id) && !isOfContent(element)) {
    parts.push({ text: `#${CSS.escape(id)}`, cost: 1, why: 'stable id' });
  }
  for (const name of NAMING_ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value === null || value === '' || value.length > MAX_VALUE || isGenerated(value)) continue;
    parts.push({ text: attributePart(name, value), cost: 2, why: `attribute ${name}` });
  }
  const rel = element.getAttribute('rel') ?? '';
  if (MEANT_RELS.has(rel)) parts.push({ text: attributePart('rel', rel), cost: 2, why: 'attribute rel' });
  for (const name of element.classList) {
    if (isGenerated(name)) continue;
    const isLook = isAboutLooks(name);
    const text = `.${CSS.escape(name)}`;
    parts.push({ text, cost: isLook ? 9 : 3, why: isLook ? 'class for styling' : 'class' });
    if (!isLook) parts.push({ text: `${tag}${text}`, cost: 4, why: 'element with class' });
  }
  parts.push({
    text: tag,
    cost: ['h1', 'main', 'article', 'time', 'table'].includes(tag) ? 5 : 7,
    why: `every ${tag}`,
  });
  return parts;
}

/** An element by its place among its siblings of the same tag. */
export function nthOf(element: Element): string {
  const tag = CSS.escape(element.localName);
  const same = [...(element.parentElement?.children ?? [])].filter(
    (other) => other.localName === element.localName,
  );
  return same.length <= 1 ? tag : `${tag}:nth-of-type(${same.indexOf(element) + 1})`;
}

/** A selector by position only, from the nearest ancestor with an id that the page has once. */
function positionPath(element: Element): string {
  const steps: string[] = [];
  for (let node: Element | null = element; node !== null; node = node.parentElement) {
    const id = node === element ? '' : idOf(node);
    const selector = `#${CSS.escape(id)}`;
    if (id !== '' && !isGenerated(id) && queryAll(element.ownerDocument, selector).length === 1) {
      steps.unshift(selector);
      break;
    }
    steps.unshift(nthOf(node));
  }
  return steps.slice(-MAX_STEPS).join(' > ');
}

/** The value beside its label, as the engine proposes it; none for an element without a label of its own. */
function byLabel(element: Element): Suggestion[] {
  const label = labelOf(element);
  const text = (label?.textContent ?? '').trim().replaceAll(/\s+/g, ' ');
  if (!label || label.parentElement !== element.parentElement || text === '' || text.includes('"')) return [];
  const is = `[normalize-space(.)="${text}"]`;
  const tag = label.localName;
  const selector = `//${tag}${is}/following-sibling::${element.localName}[1][preceding-sibling::${tag}[1]${is}]`;
  const matches = select(element.ownerDocument, sourceOf(selector));
  if (matches[0] !== element) return [];
  return [{ selector, count: matches.length, why: `beside “${text}”` }];
}

interface Candidate extends Suggestion {
  cost: number;
}

/** CSS selectors for an element of a page, best first; a field reads the first match, which is the element itself. */
export function suggestCss(element: Element): Suggestion[] {
  const root = element.ownerDocument;
  const found = new Map<string, Candidate>();
  const offer = (selector: string, cost: number, why: string, most = MAX_LENGTH): void => {
    if (selector.length > most || found.has(selector)) return;
    const matches = queryAll(root, selector);
    const count = matches.length;
    if (count === 0) return;
    const isSole = count === 1;
    const others = isSole ? why : `${why}, also on ${count - 1} other${count === 2 ? '' : 's'}`;
    if (matches[0] !== element) return;
    found.set(selector, { selector, count, why: others, cost: cost + (isSole ? 0 : 6) });
  };

  const own = partsOf(element);
  for (const part of own) offer(part.text, part.cost, part.why);
  let ancestor = element.parentElement;
  for (let depth = 1; ancestor !== null && depth <= MAX_ANCESTORS; depth += 1) {
    if (ancestor.localName === 'body') break;
    for (const outer of partsOf(ancestor).slice(0, 4)) {
      if (outer.cost > 5) continue;
      for (const part of own.slice(0, 4)) {
        offer(
          `${outer.text} ${part.text}`,
          outer.cost + part.cost + depth * 0.3,
          `${part.why} within ${outer.text}`,
        );
      }
      const last = own.at(-1);
      if (last)
        offer(`${outer.text} ${last.text}`, outer.cost + last.cost + depth * 0.3, `within ${outer.text}`);
    }
    ancestor = ancestor.parentElement;
  }
  offer(positionPath(element), COST_OF_POSITION, 'position only: breaks when the page changes', Infinity);
  const ranked = [...found.values()].sort((a, b) => a.cost - b.cost || a.selector.length - b.selector.length);
  const chosen: Candidate[] = [];
  for (const candidate of ranked) {
    if (chosen.length === MAX_SUGGESTIONS) break;
    // Skips a second selector with the same matches, unless both are among the very best.
    const isRepeat = chosen.some((other) => other.count === candidate.count && candidate.count === 1);
    if (!isRepeat || chosen.length < 2) chosen.push(candidate);
  }
  return chosen.map(({ selector, count, why }) => ({ selector, count, why }));
}

/** Selectors for an element of a page, best first: where it stands beside its label, an XPath by that. */
export function suggestSelectors(element: Element): Suggestion[] {
  return [...byLabel(element), ...suggestCss(element)].slice(0, MAX_SUGGESTIONS);
}
