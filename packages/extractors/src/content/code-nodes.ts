import {
  type PageDocument,
  type TreeElement,
  attributeOf,
  isElement,
  isText,
  linesAround,
  RAISED_DIGITS,
  readTextOf,
  textOf,
} from '@gleaner/html';
import type { Convert } from './conversion.ts';
import type { Item, Phrasing } from './nodes.ts';

/** The language from a class `language-js` or `lang-js` on the block or its code, as highlighters write it. */
function codeLanguage(element: TreeElement): string {
  const inner = isElement(element.first) ? attributeOf(element.first, 'class') : '';
  const [, language] =
    /(?:^|\s)lang(?:uage)?-([^\s`]+)/.exec(`${attributeOf(element, 'class') ?? ''} ${inner ?? ''}`) ?? [];
  return language ?? '';
}

/** Whether elements end lines of the text, beside its own line ends. */
function hasLines({ elements }: PageDocument, { order, lastOrder }: TreeElement): boolean {
  return elements
    .slice(order + 1, lastOrder + 1)
    .some((element) => element.localName === 'br' || linesAround(element) > 0);
}

export const convertCode: Convert = ({ document }, element, _around, out) => {
  const value = hasLines(document, element)
    ? readTextOf(document, element)
    : textOf(document, element).replace(/\n$/, '');
  const isCode = isElement(element.first) && element.first.localName === 'code';
  if (isCode || value.trim() !== '') out.push({ type: 'code', language: codeLanguage(element), value });
};

export const convertInlineCode: Convert = ({ document }, element, _around, out) => {
  const lines = hasLines(document, element)
    ? readTextOf(document, element).split('\n')
    : [textOf(document, element)];
  const written = lines.map((line) => line.replaceAll(/\s+/g, ' ')).filter((line) => line.trim() !== '');
  for (const [index, value] of written.entries()) {
    if (index > 0) out.push({ type: 'break' });
    out.push({ type: 'inlineCode', value });
  }
};

const PLAIN = '0123456789+-−=()ni';
const RAISED = `${RAISED_DIGITS}⁺⁻⁻⁼⁽⁾ⁿⁱ`;
const LOWERED = '₀₁₂₃₄₅₆₇₈₉';

/** How many characters stand raised or lowered at most: more is a text of its own. */
const MAX_SHIFTED = 12;

function shift(nodes: readonly Item[], characters: string): Item[] {
  return nodes.map((node): Item => {
    if (node.type === 'text') {
      const value = node.value.replaceAll(/[-0-9+−=()ni]/g, (one) => characters[PLAIN.indexOf(one)] ?? one);
      return { type: 'text', value };
    }
    return node.type === 'link'
      ? { ...node, children: shift(node.children, characters) as Phrasing[] }
      : node;
  });
}

function lastCharacter(out: readonly Item[]): string {
  const node = out.at(-1);
  if (node === undefined || node.type === 'break' || node.type === 'boundary') return '';
  if (node.type === 'text' || node.type === 'inlineCode') return node.value.at(-1) ?? '';
  return 'children' in node && node.type !== 'heading' ? lastCharacter(node.children) : '';
}

/**
 * Raised and lowered digits where plain ones would make another number or word: `10⁶`, `m²`, `word¹`, `10₂`. `H2O` and
 * `20th` stay plain.
 */
export const convertShifted: Convert = ({ document, inside }, element, around, out) => {
  const nodes = inside(element, around);
  const text = textOf(document, element).trim();
  const before = lastCharacter(out);
  const isRaised = element.localName === 'sup';
  const isNumber = (isRaised ? /^[-+−=()\dni]+$/ : /^\d+$/).test(text) && text.length <= MAX_SHIFTED;
  const { next } = element;
  const isAmongDigits = /\d/.test(before) || (isText(next) && /^\d/.test(next.data));
  const shifts = isNumber && before.trim() !== '' && (isRaised || isAmongDigits);
  out.push(...(shifts ? shift(nodes, isRaised ? RAISED : LOWERED) : nodes));
};
