import type { FieldFault } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';
import { formatNumber } from '../format/format.ts';

export type HostHealth = CallOutput<'getParserHealth'>['hosts'][number];
export type FieldHealth = HostHealth['fields'][number];

/** `97 %`, or a dash when it is not known. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(share * 100)} %`;
}

/** The key of the extraction as a whole, beside the fields. */
export const WHOLE_PAGE = '*';
/** From here on a field's suspicion is worth a look. */
export const NOTABLE = 0.3;

/** Broken fields first, the page as a whole last. */
export function inOrder(fields: readonly FieldHealth[]): FieldHealth[] {
  const rank = ({ path, is_broken }: FieldHealth): number => (path === WHOLE_PAGE ? 2 : is_broken ? 0 : 1);
  return [...fields].sort((a, b) => rank(a) - rank(b) || b.suspicion - a.suspicion);
}

/** How a broken field differs from before. */
export const CAUSES = {
  missing: 'no longer filled',
  shape: 'in another format',
  range: 'outside its range',
  repeated: 'the same on all pages',
} satisfies Record<FieldFault, string>;

/** A value of this shape: `abc. 12` for `w. 9`. */
function sampleOf(shape: string): string {
  return shape.replaceAll('9999', '2026').replace(/w|9/g, (part) => (part === 'w' ? 'abc' : '12'));
}

/** What the field's values usually are, such as `like abc 12` or `4 to 120`. */
export function usualValues({ values }: FieldHealth): string {
  if (values === null) return '–';
  const { kind, shapes, least, most } = values;
  if (kind === 'boolean') return shapes.join(', ');
  const range = least === null || most === null ? '' : `${formatNumber(least)} to ${formatNumber(most)}`;
  if (kind === 'number') return range;
  if (kind === 'list') return `${range} items`;
  return shapes[0] === undefined || shapes[0] === 'prose'
    ? `${range} characters`
    : `like ${shapes.slice(0, 2).map(sampleOf).join(' or ')}`;
}
