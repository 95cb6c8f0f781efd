import { useState } from 'react';
import {
  fieldAt,
  isList,
  listAround,
  listFields,
  removeField,
  selectorsOf,
  setField,
  shortForm,
  type Draft,
  type FieldPath,
} from '../schema/draft.ts';
import { findMatches, queryAll } from '../schema/matches.ts';
import { freeName, nameOf } from '../schema/names.ts';
import { isCodeName } from '../schema/numbers.ts';
import type { StudioState } from '../use-studio-state.ts';
import { findInnerList, type InnerList, type Target } from './columns.ts';
import { columnsOf, findRepetition, guessList, isOneKind, MIN_ROWS, type ListGuess } from './lists.ts';
import { proposeField } from './propose-field.ts';
import { isNextLink, readingsOf, type Reading } from './readings.ts';
import { suggestSelectors, type Suggestion } from './selectors.ts';
import type { FieldObject } from '@gleaner/contracts';

/** What a click in the page can make. */
interface Made {
  element: Element;
  suggestions: readonly Suggestion[];
  /** The elements that a selector reads in all rows of the list; on the page it is the element itself. */
  read: (selector: string) => Element[];
  /** A list that could contain the element. */
  list: ListGuess | undefined;
  /** A list within the row that the element belongs to. */
  inner: InnerList | undefined;
}

/** The lists that a click may add a column to: the selected one, those around it, then the others, inner ones first. */
function listsOf(draft: Draft, selected: FieldPath): FieldPath[] {
  const around: FieldPath[] = [];
  for (let list = listAround(draft, selected); list; list = listAround(draft, list.slice(0, -1)))
    around.push(list);
  const all = listFields(draft.fields).filter(({ field }) => isList(field));
  return [...around, ...all.map(({ path }) => path).toReversed()];
}

/** The result of a click: the new field, and its alternatives. */
interface Pick extends Made {
  path: FieldPath;
}

export type Picker = ReturnType<typeof usePicker>;

function plural(name: string): string {
  return name.endsWith('s') ? name : `${name}s`;
}

/** What a selector reads in each row. */
function reader(rows: readonly Element[]): Made['read'] {
  return (selector) => rows.flatMap((row) => queryAll(row, selector).slice(0, 1));
}

function inRow(rows: readonly Element[], target: Target, suggestions: readonly Suggestion[]): Made {
  const { row, element } = target;
  const inner = row === element ? undefined : findInnerList(target);
  return { element, suggestions, read: reader(rows), list: undefined, inner };
}

function onPage(element: Element): Made {
  const [suggestions, list] = [suggestSelectors(element), findRepetition(element)];
  return { element, suggestions, read: () => [element], list, inner: undefined };
}

/** The field of a selector, by default the best, for the clicked element; undefined when nothing selects it. */
function fieldFor(
  { element, read, suggestions: [best] }: Made,
  name: string,
  selector = best?.selector,
): FieldObject | undefined {
  const field = selector === undefined ? undefined : proposeField(element, selector, read(selector));
  return field?.type === 'number' && isCodeName(name) ? { ...field, type: undefined } : field;
}

/** The selector of the picked element in a field that may read a picture inside it. */
function selectorOf({ suggestions }: Pick, field: FieldObject): string {
  const [css = ''] = selectorsOf(field);
  const found = suggestions.find(({ selector }) => css === selector || css === `${selector} img`);
  return found?.selector ?? css;
}

/**
 * A second element like the one before means that the person wants both, and so all of them. Two alone may be
 * different things that look the same: an author and a category.
 */
function secondOfList(pick: Pick, draft: Draft, element: Element): ListGuess | undefined {
  if (pick.path.length !== 1 || pick.element.ownerDocument !== element.ownerDocument) return undefined;
  if (pick.element.localName !== element.localName || isList(fieldAt(draft, pick.path))) return undefined;
  const guess = guessList(pick.element, element);
  return guess && guess.count >= MIN_ROWS ? guess : undefined;
}

/** Makes fields from clicked elements of the page. */
export function usePicker({ draft, change, selected, select, addField }: StudioState) {
  const [pick, setPick] = useState<Pick | undefined>();

  /** @returns false when nothing selects the element */
  const add = (made: Made, parent?: FieldPath): boolean => {
    const name = isNextLink(made.element) ? 'next_page' : nameOf(made.element);
    const field = fieldFor(made, name);
    if (field) setPick({ ...made, path: addField(name, field, parent) });
    return field !== undefined;
  };

  const toList = ({ element, path }: Pick, { rows, row, columns }: ListGuess): void => {
    const without = removeField(draft, path);
    const name = freeName(plural(nameOf(row)), Object.keys(without.fields));
    const column = element === row ? 'text' : (path.at(-1) ?? 'value');
    const made = inRow(queryAll(row.ownerDocument, rows), { row, element }, columns);
    const field = fieldFor(made, column);
    if (!field) return;
    change(setField(without, [name], { css: rows, take: 'all', fields: { [column]: shortForm(field) } }));
    select([name, column]);
    setPick({ ...made, path: [name, column] });
  };

  /** Adds a column to the list that has the element in one of its rows. */
  const addToList = (element: Element): boolean => {
    for (const list of listsOf(draft, selected)) {
      const { matches } = findMatches(draft, list, element.ownerDocument);
      const row = matches.findLast((one) => one !== element && one.contains(element));
      const target = row && { row, element };
      if (target && add(inRow(matches, target, columnsOf(matches, [target])), list)) return true;
    }
    return false;
  };

  const field = pick && fieldAt(draft, pick.path);
  const readings = pick && field ? readingsOf(pick.element, selectorOf(pick, field)) : [];
  /** What the field reads of the element now. */
  const reading = readings.find((one) => one.field.css === field?.css);
  return {
    pick,
    /** What the field can read of a link or a picture. */
    readings,
    reading,
    /** Reads something else of the picked element. */
    take: ({ field: taken }: Reading): void => {
      if (pick === undefined || field === undefined) return;
      const { type: _type, ...rest } = field;
      change(setField(draft, pick.path, { ...rest, ...taken }));
    },
    onPick: (element: Element): void => {
      if (addToList(element)) return;
      const guess = pick && secondOfList(pick, draft, element);
      if (pick && guess && isOneKind(pick.element, element, guess)) return toList(pick, guess);
      const made = onPage(element);
      // Unlike values stay apart, but the person may want the list of both.
      add({ ...made, list: made.list ?? (pick && guess && guessList(element, pick.element)) });
    },
    /** Takes another selector for the picked field. */
    choose: (selector: string): void => {
      if (!pick) return;
      const alike = readingsOf(pick.element, selector).find(({ label }) => label === reading?.label);
      const next = alike?.field ?? fieldFor(pick, pick.path.at(-1) ?? '', selector);
      const { css, xpath, type } = next ?? {};
      change(setField(draft, pick.path, { ...field, css, xpath, type: field?.type ?? type }));
    },
    /** Makes the picked field the first column of a list. */
    makeList: (): void => {
      if (pick?.list) toList(pick, pick.list);
    },
    /** Reads all elements of the list within the row, instead of the clicked one alone. */
    readAll: (): void => {
      if (!pick?.inner) return;
      const field = proposeField(pick.element, pick.inner.selector);
      change(setField(draft, pick.path, { ...field, take: 'all' }));
      setPick({ ...pick, inner: undefined, suggestions: [] });
    },
    clear: (): void => setPick(undefined),
  };
}
