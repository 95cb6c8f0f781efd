import { useState } from 'react';
import {
  fieldAt,
  isList,
  listAround,
  removeField,
  selectorsOf,
  setField,
  shortForm,
  type FieldPath,
} from '../schema/draft.ts';
import { columnSelector, findRepetition, guessList, MIN_ROWS, rowAround, type ListGuess } from './lists.ts';
import { freeName, nameOf } from '../schema/names.ts';
import type { StudioState } from '../use-studio-state.ts';
import { suggestSelectors, type Suggestion } from './selectors.ts';
import type { FieldObject } from '@gleaner/contracts';

const NUMBER = /^[^\d\n]{0,5}-?\d[\d.,\u00A0\u202F' ]*[^\d\n]{0,6}$/;

/** A whole field for a selector: images give their address, times their machine-readable form, prices a number. */
function proposeField(element: Element, selector: string): FieldObject {
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

/** The result of a click in the page: the new field, and its alternatives. */
interface Pick {
  element: Element;
  path: FieldPath;
  suggestions: Suggestion[];
  /** A list that could contain the element. */
  list: ListGuess | undefined;
}

export type Picker = ReturnType<typeof usePicker>;

function plural(name: string): string {
  return name.endsWith('s') ? name : `${name}s`;
}

/** Makes fields from clicked elements of the page. */
export function usePicker({ draft, change, selected, select, addField }: StudioState) {
  const [pick, setPick] = useState<Pick | undefined>();

  const addColumn = (list: FieldPath, rows: string, element: Element, row: Element): void => {
    const selector = columnSelector(element, row, rows);
    if (selector === '') return;
    const path = addField(nameOf(element), proposeField(element, selector), list);
    setPick({ element, path, suggestions: suggestSelectors(element, row), list: undefined });
  };

  const addValue = (element: Element): void => {
    const suggestions = suggestSelectors(element, element.ownerDocument);
    const [best] = suggestions;
    if (!best) return;
    const path = addField(nameOf(element), proposeField(element, best.selector));
    setPick({ element, path, suggestions, list: findRepetition(element) });
  };

  const toList = ({ element, path }: Pick, { rows, column }: ListGuess): void => {
    const row = element.closest(rows);
    if (!row) return;
    const without = removeField(draft, path);
    const name = freeName(plural(nameOf(row)), Object.keys(without.fields));
    const inner = column === '' ? 'text' : (path.at(-1) ?? 'value');
    const fields = { [inner]: shortForm(proposeField(element, column || '*')) };
    change(setField(without, [name], { css: rows, take: 'all', fields }));
    select([name, inner]);
    const suggestions = column === '' ? [] : suggestSelectors(element, row);
    setPick({ element, path: [name, inner], suggestions, list: undefined });
  };

  /**
   * A second element like the one before means that the person wants both, and so all of them. Two alone may be
   * different things that look the same: an author and a category.
   */
  const secondOfList = (element: Element): ListGuess | undefined => {
    if (!pick || pick.path.length !== 1 || pick.element.ownerDocument !== element.ownerDocument)
      return undefined;
    if (pick.element.localName !== element.localName || isList(fieldAt(draft, pick.path))) return undefined;
    const guess = guessList(pick.element, element);
    const row = guess && element.closest(guess.rows);
    if (!row || guess.count < MIN_ROWS) return undefined;
    return guess.column === '' || row.querySelector(guess.column) === element ? guess : undefined;
  };

  return {
    pick,
    onPick: (element: Element): void => {
      const list = listAround(draft, selected);
      const listField = list && fieldAt(draft, list);
      const rows = listField && selectorsOf(listField)[0];
      const row = rows === undefined ? undefined : rowAround(element, rows);
      const guess = secondOfList(element);
      if (list && rows !== undefined && row && row !== element) addColumn(list, rows, element, row);
      else if (pick && guess) toList(pick, guess);
      else addValue(element);
    },
    /** Takes another selector for the picked field. */
    choose: (selector: string): void => {
      if (!pick) return;
      const before = fieldAt(draft, pick.path);
      const { css, type } = proposeField(pick.element, selector);
      change(setField(draft, pick.path, { ...before, css, ...(before?.type ? {} : { type }) }));
    },
    /** Makes the picked field the first column of a list. */
    makeList: (): void => {
      if (pick?.list) toList(pick, pick.list);
    },
    clear: (): void => setPick(undefined),
  };
}
