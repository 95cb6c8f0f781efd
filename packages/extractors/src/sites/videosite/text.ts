import { readCount } from '../read/text.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, at, fieldReader, textAt } from '../read/value.ts';

/** The text of a node in any shape: `{simpleText}`, `{runs}`, `{content}` or a plain string. */
export function textOf(node: unknown): string | null {
  if (typeof node === 'string') return node;
  if (!isObject(node)) return null;
  const plain = textAt(node, 'simpleText', 'content');
  if (plain !== null) return plain;
  const runs = arrayAt(node, 'runs');
  return runs.length === 0 ? null : runs.map((run) => textAt(run, 'text') ?? '').join('');
}

export const shownAt = fieldReader(textOf);

/** The maximum length of counts and ages. */
const MAX_TEXT = 200;

const NO_VIEWS = /^no views$/i;

/** `6,403,051 views`, `26k views`, `No views`; null for other words, such as watching and waiting. */
export function readViews(text: string | null): number | null {
  if (text === null || text.length > MAX_TEXT) return null;
  const plain = text.trim();
  if (NO_VIEWS.test(plain)) return 0;
  return /\bviews?$/i.test(plain) &&
    /^[\d.,\s\u00A0]+(?:(?:[kmb]|thousand|million|billion)[\s\u00A0]*)?views?$/i.test(plain)
    ? readCount(plain)
    : null;
}

/** Words that scale a number in other languages. With one of these, the digits are not the count. */
const FOREIGN_SCALE =
  /^[\s\u00A0\u202F]*(?:k|m|b|g|mn|tuh|tys|tis|tsd|mil|mln|mld|mio|mrd|milj|milj|rb|jt|ribu|juta|lakh|crore|bin|mlr|tn|nghìn|tr|หมื่น|แสน|ล้าน|พัน|万|萬|億|亿|만|억|천|тыс|млн|млрд)(?!\p{L})|^[\s\u00A0]*(?:万|萬|億|亿|만|억|천)/iu;

/**
 * A full count in a language we did not ask for: digits in groups of three with any separator (`1.077.715 visualizaciones`,
 * `조회수 50,221회`). Null as soon as a word could scale it.
 */
export function readForeignCount(text: string | null): number | null {
  if (text === null || text.length > MAX_TEXT) return null;
  const found = /^\D*?(\d{1,3}(?:[.,\s\u00A0\u202F'’]\d{3})+|\d+)(\D*)$/u.exec(text);
  if (!found?.[1] || FOREIGN_SCALE.test(found[2] ?? '')) return null;
  const count = Number(found[1].replaceAll(/\D/g, ''));
  return Number.isSafeInteger(count) ? count : null;
}

/** The same in lists that round: only a grouped number, or a small one before a single word, is certainly exact. */
export function readForeignListCount(text: string | null): number | null {
  return text !== null &&
    text.length <= MAX_TEXT &&
    /\d[.,\s\u00A0\u202F]\d{3}(?!\d)|^\s*\d{1,3}[\s\u00A0]\p{L}{4,}\s*$/u.test(text)
    ? readForeignCount(text)
    : null;
}

/** Whether the text is only a count: `617`, `2.4M`, `1 K`. */
export function readBareCount(text: string | null): number | null {
  return text !== null && text.length <= MAX_TEXT && /^[\d.,\s\u00A0\u202F]+(?:[kmb]\s*)?$/i.test(text)
    ? readCount(text.trim())
    : null;
}

const AGE =
  /^(?:(?:streamed|premiered)\s+)?(?:an?|\d+)\s*(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|s|secs?|min|mins|h|hrs?|d|w|wks?|mo|y|yrs?)\s+ago$|^(?:just now|yesterday|today)$/i;

/** `3 days ago`, `Streamed 2 weeks ago`, `4d ago`. */
export function isAge(text: string): boolean {
  return text.length <= MAX_TEXT && AGE.test(text.trim());
}

/** The source with the largest area; protocol-relative addresses get https. */
function largestImage(sources: readonly unknown[]): string | null {
  let best: string | null = null;
  let bestArea = -1;
  for (const source of sources) {
    const url = textAt(source, 'url');
    if (!url) continue;
    const area = Number(at(source, 'width') ?? 0) * Number(at(source, 'height') ?? 0);
    if (area > bestArea || best === null) {
      best = url;
      bestArea = area;
    }
  }
  return best?.startsWith('//') ? `https:${best}` : best;
}

/** The largest image of a list of sizes. */
export const imageAt = fieldReader((sizes) => (Array.isArray(sizes) ? largestImage(sizes) : null));
