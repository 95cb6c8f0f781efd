import type { ChangeKind, ChangeTest } from '@gleaner/contracts/values';
import type { CallInput } from '../api/call.ts';

type Filter = NonNullable<CallInput<'createWebhook'>['body']['filter']>;

/** Which changed rows are reported, as a form holds it. */
export interface ChangeFilterDraft {
  table: string;
  kinds: ChangeKind[];
  column: string;
  op: ChangeTest;
  /** At least so much, `5%` or `2.5`; of `crosses` the bound. */
  amount: string;
}

export const NO_CHANGE_FILTER: ChangeFilterDraft = {
  table: '',
  kinds: [],
  column: '',
  op: 'changed',
  amount: '',
};

/** What was typed as the API takes it: what is no number goes as it is, and the service says what is wrong with it. */
function amountOf(text: string): number | string {
  const number = Number(text.replace(',', '.'));
  return Number.isFinite(number) ? number : text.replace(/\s/g, '').replace(',', '.');
}

/** The members of a filter that the form sets. */
export function writeChangeFilter({ table, kinds, column, op, amount }: ChangeFilterDraft): Filter {
  const text = amount.trim();
  const given = text === '' ? {} : { [op === 'crosses' ? 'value' : 'by']: amountOf(text) };
  return {
    ...(table.trim() === '' ? {} : { table: table.trim() }),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(column.trim() === '' ? {} : { where: [{ column: column.trim(), op, ...given }] }),
  };
}

const WORDS = { changed: 'changes', rises: 'rises', falls: 'falls', crosses: 'crosses' } satisfies Record<
  ChangeTest,
  string
>;

/** A filter in words: `prices, price falls by 5%`; empty without one. */
export function changeFilterText({ table, kinds, where = [] }: Filter): string {
  const tests = where.map(({ column, op, by, value }) =>
    [column, WORDS[op], by === undefined ? '' : `by ${by}`, value ?? '']
      .filter((part) => part !== '')
      .join(' '),
  );
  return [...(table === undefined ? [] : [table]), ...(kinds ?? []), ...tests].join(', ');
}
