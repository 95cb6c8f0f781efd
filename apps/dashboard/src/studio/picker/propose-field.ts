import type { FieldObject } from '@gleaner/contracts';

const NUMBER = /^[^\d\n]{0,5}-?\d[\d.,\u00A0\u202F' ]*[^\d\n]{0,6}$/;

/** A whole field for a selector: images give their address, times their machine-readable form, prices a number. */
export function proposeField(element: Element, selector: string): FieldObject {
  const tag = element.localName;
  if (tag === 'img') return { css: `${selector}@src`, type: 'url' };
  if (tag === 'time' && element.hasAttribute('datetime')) {
    const value = element.getAttribute('datetime') ?? '';
    return { css: `${selector}@datetime`, type: value.includes('T') ? 'datetime' : 'date' };
  }
  if (tag === 'meta') return { css: `${selector}@content` };
  if (tag === 'input') return { css: `${selector}@value` };
  if (tag === 'table') return { css: selector, type: 'table' };
  const text = (element.textContent ?? '').trim();
  if (NUMBER.test(text) && text.length <= 24 && /[\p{Sc}.,]|^\d+$/u.test(text) && !/^0\d/.test(text)) {
    return { css: selector, type: 'number' };
  }
  return { css: selector };
}
