import { type Words, likeness, nameQuality, wordsOf } from '../page/names.ts';
import { attributeOf } from '@gleaner/html';
import type { PageModel, TextSpot } from '../page/page-model.ts';
import { regionWeight } from './place.ts';

/** Elements in which names of values are often written. */
export const LABEL_TAGS = new Set('th dt label legend b strong em h2 h3 h4 h5 h6 caption u'.split(' '));
const STRONG_LABEL_TAGS = new Set(['th', 'dt', 'label', 'legend', 'caption']);
const LABEL_CLASS =
  /(?:^|[-_ ])(?:label|lbl|key|name|term|caption|heading|header|head|hd|title|ttl|field|prop|attr|bold|legend)/i;

/** From 0 to 1: how much a text looks like the name of the value after it. */
export function labelness(
  model: PageModel,
  spot: TextSpot,
  field: Words,
  shared: number | undefined,
): number {
  const { text, parent } = spot;
  if (text.length > 60 || !/\p{L}/u.test(text)) return 0;
  let score = /^[\p{Lu}\d]/u.test(text) ? 0.3 : 0.22;
  if (LABEL_TAGS.has(parent.localName))
    score = Math.max(score, STRONG_LABEL_TAGS.has(parent.localName) ? 0.74 : 0.6);
  const classes = attributeOf(parent, 'class') ?? '';
  if (classes !== '' && LABEL_CLASS.test(classes))
    score = Math.max(score, 0.68 * Math.max(0.6, nameQuality(classes)));
  if (/[:：]$/.test(text)) score = Math.max(score, 0.86);
  if (/\d/.test(text)) score *= 0.6;
  // A text in the page's title is the page's subject: a value, like the examples of other fields.
  if (!/[:：]$/.test(text) && ((text.length >= 4 && model.title.includes(text)) || model.values.has(text)))
    score = Math.min(score * 0.3, 0.15);
  if (text.length > 30) score *= 0.7;
  const words = wordsOf(text);
  if (words.length <= 6) {
    const alike = likeness(field, words);
    if (alike >= 0.3) score = Math.max(score, score + (0.96 - score) * Math.min(1, alike * 1.2));
  }
  // Links and menus are on every page too, and what comes after them has nothing to do with them.
  const isInMenu = ['a', 'option'].includes(parent.localName) || regionWeight(parent) < 0.8;
  if (isInMenu && score < 0.6) return 0.4 * score;
  if (shared === undefined) return score;
  if (shared >= 1) return Math.max(score, 0.55 + 0.45 * score);
  // Pages of another layout or without this field lack the label too, so only a text that looks like a label counts.
  return score * (score >= 0.6 ? 0.72 + 0.2 * shared : 0.25 + 0.5 * shared);
}
