import type { FieldObject, TransformStep } from '@gleaner/contracts';
import type { Aspect } from './types.ts';

/** What people read of an element, so the page's language says how its numbers are written. */
export const PROSE: ReadonlySet<Aspect> = new Set<Aspect>([
  'text',
  'number_text',
  'own_text',
  'raw_text',
  'element',
]);

const SPECIAL_ASPECTS = new Set<string>(['html', 'inner_html', 'own_text', 'raw_text']);

/** Steps work on the text as it is, but for these, which change white space alone. */
const SPACING = new Set<TransformStep>(['trim', 'collapse']);
const NUMBERS = new Set<FieldObject['type']>(['number', 'integer', 'money']);

/** What of a match a source reads. @param steps of the parser */
export function aspectOf(
  attr: string | undefined,
  type: FieldObject['type'],
  steps: readonly TransformStep[],
): Aspect {
  if (attr === undefined) {
    if (NUMBERS.has(type) && steps.every((step) => SPACING.has(step))) return 'number_text';
    if (type === 'html' || type === 'markdown') return type;
    if (type === 'url') return 'url';
    return type === 'table' ? 'element' : 'text';
  }
  return SPECIAL_ASPECTS.has(attr) ? (attr as Aspect) : { attribute: attr };
}
