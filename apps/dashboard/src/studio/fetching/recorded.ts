import { suggestSelectors } from '../picker/selectors.ts';
import type { BrowserAction } from '../../fetching/action-rows.ts';

/** What a person can do with an element in a page. */
export type Doing = 'click' | 'type' | 'select';

const TYPED = /^(text|search|email|url|tel|number|password|date|)$/;

export function doingOf(element: Element): Doing {
  if (element.localName === 'select') return 'select';
  if (element.localName === 'textarea') return 'type';
  const isTyped = element.localName === 'input' && TYPED.test(element.getAttribute('type') ?? '');
  return isTyped ? 'type' : 'click';
}

/** The action that does this with the element; undefined when nothing selects it. */
export function actionOn(element: Element, text: string): BrowserAction | undefined {
  const selector = suggestSelectors(element, element.ownerDocument)[0]?.selector;
  if (selector === undefined) return undefined;
  const doing = doingOf(element);
  if (doing === 'type') return { type: { into: selector, text } };
  return doing === 'select' ? { select: { in: selector, value: text } } : { click: selector };
}
