import { useState } from 'react';
import {
  fieldAt,
  isList,
  listAround,
  removeField,
  setField,
  shortForm,
  type FieldPath,
} from '../schema/draft.ts';
import { findMatches, queryAll } from '../schema/matches.ts';
import { freeName, nameOf } from '../schema/names.ts';
import { isCodeName } from '../schema/numbers.ts';
import type { StudioState } from '../use-studio-state.ts';
import { findInnerList, type InnerList, type Target } from './columns.ts';
import { columnsOf, findRepetition, guessList, MIN_ROWS, type ListGuess } from './lists.ts';
import { proposeField } from './propose-field.ts';
import { suggestSelectors, type Suggestion } from './selectors.ts';
import type { FieldObject } from '@gleaner/contracts';

/** The result of a click in the page: the new field, and its alternatives. */
interface Pick {
  element: Element;
  path: FieldPath;
  suggestions: readonly Suggestion[];
  /** The elements that a selector reads in all rows of the list; on the page it is the element itself. */
  read: (selector: string) => Element[];
  /** A list that could contain the element. */
  list: ListGuess | undefined;
  /** A list within the row that the element belongs to. */
  inner: InnerList | undefined;
}

export type Picker = ReturnType<typeof usePicker>;

function plural(name: string): string {
  return name.endsWith('s') ? name : `${name}s`;
}

/** What a selector reads in each row. */
function reader(rows: readonly Element[]): Pick['read'] {
  return (selector) => rows.flatMap((row) => queryAll(row, selector).slice(0, 1));
}

/** The field of a selector for the picked element, named so. */
function fieldFor({ element, read }: Pick, name: string, selector: string): FieldObject {
  const field = proposeField(element, selector, read(selector));
  return field.type === 'number' && isCodeName(name) ? { css: selector } : field;
}

/** Makes fields from clicked elements of the page. */
export function usePicker({ draft, change, selected, select, addField }: StudioState) {
  const [pick, setPick] = useState<Pick | undefined>();

  /** @returns false when no selector reads the element in its row */
  const addColumn = (list: FieldPath, rows: readonly Element[], target: Target): boolean => {
    const { element } = target;
    const suggestions = columnsOf(rows, [target]);
    const [best] = suggestions;
    if (!best) return false;
    const name = nameOf(element);
    const made = { element, suggestions, read: reader(rows), list: undefined, inner: findInnerList(target) };
    const path = addField(name, fieldFor({ ...made, path: [] }, name, best.selector), list);
    setPick({ ...made, path });
    return true;
  };

  const addValue = (element: Element): void => {
    const suggestions = suggestSelectors(element);
    const [best] = suggestions;
    if (!best) return;
    const name = nameOf(element);
    const list = findRepetition(element);
    const made = { element, suggestions, read: () => [element], list, inner: undefined };
    setPick({ ...made, path: addField(name, fieldFor({ ...made, path: [] }, name, best.selector)) });
  };

  const toList = ({ element, path }: Pick, { rows, row, columns }: ListGuess): void => {
    const [best] = columns;
    if (!best) return;
    const without = removeField(draft, path);
    const name = freeName(plural(nameOf(row)), Object.keys(without.fields));
    const column = element === row ? 'text' : (path.at(-1) ?? 'value');
    const all = queryAll(row.ownerDocument, rows);
    const made: Pick = {
      element,
      path: [name, column],
      suggestions: columns,
      read: reader(all),
      list: undefined,
      inner: element === row ? undefined : findInnerList({ row, element }),
    };
    const fields = { [column]: shortForm(fieldFor(made, column, best.selector)) };
    change(setField(without, [name], { css: rows, take: 'all', fields }));
    select(made.path);
    setPick(made);
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
    return guess && guess.count >= MIN_ROWS ? guess : undefined;
  };

  /** Adds a column to the selected list, or to one around it, if the element lies in one of its rows. */
  const addToList = (element: Element): boolean => {
    let list = listAround(draft, selected);
    for (; list; list = listAround(draft, list.slice(0, -1))) {
      const { matches } = findMatches(draft, list, element.ownerDocument);
      const row = matches.findLast((one) => one !== element && one.contains(element));
      if (row && addColumn(list, matches, { row, element })) return true;
    }
    return false;
  };

  return {
    pick,
    onPick: (element: Element): void => {
      if (addToList(element)) return;
      const guess = secondOfList(element);
      if (pick && guess) toList(pick, guess);
      else addValue(element);
    },
    /** Takes another selector for the picked field. */
    choose: (selector: string): void => {
      if (!pick) return;
      const before = fieldAt(draft, pick.path);
      const { css, type } = fieldFor(pick, pick.path.at(-1) ?? '', selector);
      change(setField(draft, pick.path, { ...before, css, ...(before?.type ? {} : { type }) }));
    },
    /** Makes the picked field the first column of a list. */
    makeList: (): void => {
      if (pick?.list) toList(pick, pick.list);
    },
    /** Reads all elements of the list within the row, instead of the clicked one alone. */
    readAll: (): void => {
      if (!pick?.inner) return;
      const { selector } = pick.inner;
      change(setField(draft, pick.path, { ...proposeField(pick.element, selector), take: 'all' }));
      setPick({ ...pick, inner: undefined, suggestions: [] });
    },
    clear: (): void => setPick(undefined),
  };
}
