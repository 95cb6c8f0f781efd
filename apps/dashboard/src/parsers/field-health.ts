import type { FieldFault } from '@gleaner/contracts/values';
import type { CallOutput } from '../api/call.ts';

export type HostHealth = CallOutput<'getParserHealth'>['hosts'][number];
export type FieldHealth = HostHealth['fields'][number];

const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

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

/** What the field's values usually are, such as `12.50 €, 9.00 €` or `0.5 to 1.75`. */
export function usualValues({ values }: FieldHealth): string {
  if (values === null) return '–';
  const { kind, shapes, samples, least, most } = values;
  if (kind === 'boolean') return shapes.join(', ');
  const range =
    least === null || most === null
      ? ''
      : least === most
        ? exact.format(least)
        : `${exact.format(least)} to ${exact.format(most)}`;
  if (kind === 'number') return range;
  const like = samples.slice(0, 2).join(', ');
  if (kind === 'list') return like === '' ? `${range} items` : `${range} items, such as ${like}`;
  return like === '' ? `${range} characters` : like;
}
