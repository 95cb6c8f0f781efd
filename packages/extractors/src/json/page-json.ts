import { decodeHtml } from '@gleaner/html';
import type { Page } from '../page.ts';
import { parseJsonText } from './loose-value.ts';
import type { Json } from './jsonpath.ts';

/** The text of a page that is a JSON object or array; undefined for other pages. */
export function jsonTextOf(page: Page): string | undefined {
  const text = decodeHtml(page.body, page.contentType).text.trim();
  return /^[[{]/.test(text) && parseJsonText(text) !== undefined ? text : undefined;
}

/** The value of a page that is a JSON object or array. */
export function readPageJson(page: Page): Json | undefined {
  const text = decodeHtml(page.body, page.contentType).text.trim();
  return /^[[{]/.test(text) ? parseJsonText(text) : undefined;
}
