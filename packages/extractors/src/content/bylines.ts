import {
  type PageDocument,
  type TreeElement,
  elementsByTag,
  attributeOf,
  parentElement,
} from '@gleaner/html';
import { shownText } from './page-data.ts';
import { namesChange, namesOther, otherWords, LABEL_START } from './byline-words.ts';
import { placesBeside } from './places-beside.ts';

const BYLINE_NAMES =
  /(?:^|[\s_-])(?:author|by-?line|date\w*|published?|post(?:ed)?-?(?:on|date|meta|info)?|entry-meta|meta|time(?:stamp)?)(?=$|[\s_-])/i;
export const BYLINE_LENGTH = 200;
const BYLINE_ELEMENTS = 40;

/** An element that may be a byline or a part of one. */
export interface Byline {
  element: TreeElement;
  text: string;
  /** Its class says what it is. */
  isNamed: boolean;
}

/** Short texts that may be a byline: elements with such names, and those right after the heading. */
export function* bylines(document: PageDocument): Generator<Byline> {
  const beside = placesBeside(document);
  const heading = elementsByTag(document, 'h1')[0];
  const isOwn = ({ order }: TreeElement): boolean => !beside.has(order);
  const from = heading === undefined ? document.elements.length : heading.lastOrder + 1;
  const near = document.elements.slice(from, from + BYLINE_ELEMENTS).filter(isOwn);
  const isNamed = (element: TreeElement): boolean => BYLINE_NAMES.test(attributeOf(element, 'class') ?? '');
  const named = document.elements.filter((element) => isOwn(element) && isNamed(element));
  for (const element of [...near, ...named.slice(0, BYLINE_ELEMENTS)]) {
    const text = shownText(document, element);
    if (text !== '' && text.length <= BYLINE_LENGTH) yield { element, text, isNamed: isNamed(element) };
  }
}

/** A line with a date, and what stands in the line before it where that is a label. */
interface Line {
  text: string;
  label: string;
}

const HIGHEST = 6;
/** Characters of an element in whose text a line is looked for. */
const SEARCHED = 100_000;
const LABEL_LENGTH = 25;

function labelBefore(document: PageDocument, lines: readonly string[], at: number): string {
  const label = lines.slice(Math.max(0, at - 2), at).findLast((line) => line !== '') ?? '';
  const [heading] = elementsByTag(document, 'h1');
  const isTitle = heading !== undefined && shownText(document, heading).includes(label);
  return isTitle || label.length > LABEL_LENGTH || /\d/.test(label) ? '' : label;
}

/** The whole lines in which the text of an element stands on the page. */
function linesOf(document: PageDocument, element: TreeElement): Line[] {
  const own = shownText(document, element).split('\n');
  if (own[0] === '') return [{ text: '', label: '' }];
  if (own.length > 1) return own.map((text, at) => ({ text, label: labelBefore(document, own, at) }));
  let [text = ''] = own;
  let parent = parentElement(element);
  for (let height = 0; parent !== null && height < HIGHEST; height += 1) {
    const whole = shownText(document, parent);
    if (whole.length > SEARCHED) break;
    const lines = whole.split('\n');
    const at = lines.findIndex((line) => line.includes(text));
    if (at === -1) break;
    text = lines[at] ?? '';
    if (lines.length > 1) return [{ text, label: labelBefore(document, lines, at) }];
    parent = parentElement(parent);
  }
  return [{ text, label: '' }];
}

const NAME =
  /(?<!\p{L})(?:[Bb]y|BY|[Vv]on|[Pp]ar|[Pp]or|[Dd]i|[Dd]oor|[Aa]v|[Aa]f|[Pp]rzez|[Аа]втор|[Aa]uth?or|[Aa]uteur):?\s+(?:\p{Lu}[\p{L}\p{M}.'’-]*(?:\s+(?:(?:and|van|de|von|der)\s+)?\p{Lu}[\p{L}\p{M}.'’-]*){0,3}|[\p{L}\d_]+(?=\s*(?:[»,–—-]|$)))/gu;
const MOST_WORDS = 6;

/** Text with more digits than a count has: no relative time, which is read only where it is a whole byline. */
const MORE_THAN_COUNT = /\d{4}|\d\D+\d/;

/** Whether words beside a date leave it the date of the page: a name, or in a marked byline names and sections. */
function isByline(
  text: string,
  { language, isNamed }: { language: string | undefined; isNamed: boolean },
): boolean {
  const others = otherWords(text.replaceAll(NAME, ' '), language);
  if (others.length === 0) return true;
  const mayBeName = (word: string): boolean => word !== word.toLowerCase() && !text.includes(`${word}:`);
  return isNamed && others.length <= MOST_WORDS && others.every(mayBeName);
}

/** What a page says of its days in a byline: the text with the date, and whether it is that of a change. */
export interface DatedText {
  text: string;
  isChange: boolean;
}

interface Dated {
  element: TreeElement;
  /** The text of a `<time>`, and its date for machines. */
  date?: { shown: string; written: string };
  isNamed: boolean;
}

/** The parts of the lines of an element that are bylines with a date. */
export function* datedTexts(
  document: PageDocument,
  { element, date, isNamed }: Dated,
  language: string | undefined,
): Generator<DatedText> {
  for (const { text: line, label } of linesOf(document, element)) {
    const isField = /[:：]$/.test(label) || ['dd', 'dl'].includes(element.localName);
    if (line.length > BYLINE_LENGTH || namesOther(label)) continue;
    if (isField && otherWords(label, language).length > 0) continue;
    let before = '';
    for (const part of line.split(/[|•·]/).flatMap((one) => one.split(LABEL_START))) {
      const text = date === undefined ? part : part.replace(date.shown, ' ');
      const isDated = date === undefined ? /\d|\p{L}/u.test(part) : part.includes(date.shown);
      before += part;
      const isRelative = date === undefined && !MORE_THAN_COUNT.test(part.replace(/\d{1,2}:\d{2}/, ''));
      if (isDated && !namesOther(before) && (isRelative || isByline(text, { language, isNamed })))
        yield { text: date?.written ?? part.trim(), isChange: namesChange(`${label} ${part}`) };
    }
  }
}
