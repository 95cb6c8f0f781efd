import type { FieldObject } from '@gleaner/contracts';
import { sourceOf } from '../schema/matches.ts';
import { isNumberText } from '../schema/numbers.ts';
import { pictureAttribute } from './picture-attribute.ts';
import { isNextLink } from './readings.ts';

/**
 * A whole field for a selector: pictures and links to the next page give their address, times their machine-readable form, prices a number.
 * @param element the clicked one
 * @param alike what the selector reads in all rows of a list: a number only when all of them are
 */
export function proposeField(
  element: Element,
  selector: string,
  alike: readonly Element[] = [element],
): FieldObject {
  const tag = element.localName;
  if (tag === 'img') return { css: `${selector}@${pictureAttribute(element)}`, type: 'url' };
  if (tag === 'time' && element.hasAttribute('datetime')) {
    const value = element.getAttribute('datetime') ?? '';
    return { css: `${selector}@datetime`, type: value.includes('T') ? 'datetime' : 'date' };
  }
  if (isNextLink(element)) return { css: `${selector}@href`, type: 'url' };
  if (tag === 'meta') return { css: `${selector}@content` };
  if (tag === 'input') return { css: `${selector}@value` };
  if (tag === 'table') return { css: selector, type: 'table' };
  const texts = alike.map(({ textContent }) => (textContent ?? '').trim()).filter((text) => text !== '');
  const { kind, text } = sourceOf(selector);
  return { [kind]: text, ...(texts.length > 0 && texts.every(isNumberText) ? { type: 'number' } : {}) };
}
