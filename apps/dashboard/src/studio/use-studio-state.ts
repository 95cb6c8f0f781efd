import type { FieldObject } from '@gleaner/contracts';
import { useDocumentTitle, useHotkeys, useSetState, useWindowEvent } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { openExample, openKept, useFetching } from './fetching/fetch-page.ts';
import type { Reach } from './results/explain.ts';
import { pageTitle } from './pages/page-title.ts';
import { parserName, savingOf, type ParserRecord } from './saving.ts';
import {
  EMPTY_DRAFT,
  fieldAt,
  fieldsIn,
  pathText,
  readPath,
  setField,
  type Draft,
  type FieldPath,
} from './schema/draft.ts';
import { freeName } from './schema/names.ts';
import type { StudioSearch } from './search.ts';
import { useKeepSample, useSave } from './use-save.ts';
import { useExtraction, usePages, type PagesState } from './use-studio.ts';
import type { Work } from './work/history.ts';
import { keepUnsaved, workKeyOf } from './work/unsaved.ts';
import { useWork } from './work/use-work.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The person pressed a button with the price of opening the page `open`. A link can't say so. */
    isPaid?: boolean;
  }
}

export interface StudioProps {
  accountId: string;
  record: ParserRecord | undefined;
  search: StudioSearch;
  onSearch: (change: Partial<StudioSearch>) => void;
}

interface OpeningInput extends Pick<StudioProps, 'search' | 'onSearch'> {
  pages: PagesState;
  fetch: (url: string) => void;
}

/** Opens the page that the address names, once, and removes its name from the address. What costs credits waits for a click. */
function useOpening({ pages, search, onSearch, fetch }: OpeningInput) {
  const { open, kept, example } = search;
  const isPaid = useLocation({ select: ({ state }) => state.isPaid === true });
  const opening = useMutation({
    mutationFn: (named: StudioSearch) =>
      named.kept === undefined ? openExample(named.example ?? '') : openKept(named.kept),
    onSuccess: (page) => page && pages.add(page),
    onSettled: () => onSearch({ kept: undefined, example: undefined }),
  });
  const isOpened = useRef(false);
  useEffect(() => {
    if (isOpened.current || !pages.isReady) return;
    isOpened.current = true;
    if (isPaid && open !== undefined) fetch(open);
    else if ((kept ?? example) !== undefined) opening.mutate({ kept, example });
  }, [isPaid, open, kept, example, pages.isReady, opening, fetch]);
  return opening;
}

interface SelectionInput extends Pick<StudioProps, 'search' | 'onSearch'> {
  work: ReturnType<typeof useWork>;
}

/** The selected field, which the address names; none while there is no such field, as when its name was undone. */
function useSelection({ search, onSearch, work: { draft, change } }: SelectionInput) {
  const selected = useMemo(() => {
    const path = readPath(search.field);
    return fieldAt(draft, path) === undefined ? [] : path;
  }, [search.field, draft]);
  const select = useCallback(
    (path: FieldPath) => onSearch({ field: path.length === 0 ? undefined : pathText(path) }),
    [onSearch],
  );
  /** Adds a field to a list or to the page, with a name that is free, and selects it. */
  const addField = (name: string, field: FieldObject, parent: FieldPath = []): FieldPath => {
    const path = [...parent, freeName(name, Object.keys(fieldsIn(draft, parent)))];
    change(setField(draft, path, field));
    select(path);
    return path;
  };
  return { selected, select, addField };
}

/** Saves everywhere, undoes and redoes outside of fields, which have their own. */
function useKeys({ undo, redo }: ReturnType<typeof useWork>, save: () => void): void {
  useHotkeys([['mod+S', save]], [], true);
  useHotkeys([
    ['mod+Z', () => undo?.()],
    ['mod+shift+Z', () => redo?.()],
    ['mod+Y', () => redo?.()],
  ]);
}

/** What a person looks at beside the selected field. */
interface Shown {
  /** The shown page's own document, once it is made. */
  document: Document | undefined;
  /** A selector that is tried out: the page shows what it finds. */
  preview: string | undefined;
  /** The source of the selected field that is edited: the page shows what it alone finds. */
  tried: number | undefined;
  /** The pictures of the shown page by their address, as `data:` URLs. */
  pictures: ReadonlyMap<string, string>;
  /** How far the selected field's selector gets. */
  reach: Reach | undefined;
}

const NOTHING: Shown = {
  document: undefined,
  preview: undefined,
  tried: undefined,
  pictures: new Map(),
  reach: undefined,
};

function workOf(record: ParserRecord | undefined): Work {
  if (!record) return { name: '', draft: EMPTY_DRAFT, config: {} };
  // Saved schemas were checked by the engine.
  const draft = record.schema as unknown as Draft;
  return { name: record.name, draft, config: record.scrape_config };
}

export type StudioState = ReturnType<typeof useStudioState>;

/** Everything that the parts of the studio share: the parser in the making, its pages and what it reads from them. */
export function useStudioState({ accountId, record, search, onSearch }: StudioProps) {
  const owner = `${accountId}/${record?.id ?? search.draft ?? 'new'}`;
  const workKey = workKeyOf(owner, record?.version);
  const work = useWork(workKey, workOf(record));
  const { name, draft, config } = work;
  const pages = usePages(owner, record?.id);
  const { active: page } = pages;
  const extraction = useExtraction(draft, pages.pages);
  const [shown, show] = useSetState(NOTHING);
  const fetching = useFetching(({ page: fetched }, request) => {
    work.configure(request.config);
    const replaced = pages.pages.find(({ id }) => id === request.replaces);
    // A sample stays as it is: new versions are tried on it.
    if (replaced?.sampleId === undefined && replaced) void pages.remove(replaced);
    pages.add(fetched);
    onSearch({ open: undefined });
  });
  const title = useMemo(() => pageTitle(page?.html ?? ''), [page?.html]);
  const proposedName = parserName(name, page && { title, url: page.url });
  const draftName = page === undefined ? name : proposedName;
  const { save, take, isSchemaChanged, isConfigChanged, changes, forgetChanges } = useSave({
    accountId,
    owner,
    record,
    work: { name: proposedName, draft, config },
    pages,
    search,
    onSaved: work.rename,
    onTaken: (taken) => work.replace(workOf(taken)),
  });
  const fieldCount = Object.keys(draft.fields).length;
  const faultCount = extraction.faults.length;
  const saving = savingOf({ record, name, fieldCount, faultCount, isSchemaChanged, isConfigChanged, save });
  const trySave = (): void => {
    if (saving.canSave) save.mutate({});
  };
  useEffect(
    () => keepUnsaved(workKey, saving.isDraftKept ? { name: draftName, draft, config } : undefined),
    [workKey, saving.isDraftKept, draftName, draft, config],
  );
  useKeys(work, trySave);
  useDocumentTitle(`${name || 'New parser'} · Gleaner`);
  useWindowEvent('beforeunload', (event) => {
    // A new parser stays in this browser; changes of a saved one end with the tab.
    if (saving.isUnsaved && record !== undefined) event.preventDefault();
  });
  return {
    accountId,
    record,
    search,
    onSearch,
    ...work,
    fieldCount,
    ...useSelection({ search, onSearch, work }),
    pages,
    /** The page that is shown. */
    page,
    fetching,
    opening: useOpening({ pages, search, onSearch, fetch: (url) => fetching.mutate({ url, config }) }),
    ...extraction,
    ...shown,
    show,
    saving,
    save,
    /** Shows the version that was saved meanwhile in place of the work. */
    take,
    trySave,
    changes,
    forgetChanges,
    keepSample: useKeepSample(record?.id ?? '', pages.update),
  };
}
