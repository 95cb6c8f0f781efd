import { useHotkeys } from '@mantine/hooks';
import { useCallback, useState, useEffect, useRef } from 'react';
import { parserName, savingOf, type ParserRecord } from './saving.ts';
import { EMPTY_DRAFT, pathText, readPath, type Draft, type FieldPath } from './schema/draft.ts';
import type { StudioSearch } from './search.ts';
import { useDraft, useKeepDraft } from './use-draft.ts';
import { useKeepSample } from './use-keep-sample.ts';
import { useExtraction, usePages, type PagesState } from './use-studio.ts';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import type { KeptPage } from './extraction/protocol.ts';
import { fetchPage, openExample, openKept } from './pages/fetch-page.ts';
import { call, operationQuery, type CallOutput } from '../api/call.ts';
import type { SampleChange } from '../samples/sample-changes.tsx';
import { movePages } from './pages/page-store.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The person pressed a button with the price of opening the page `open`. A link can't say so. */
    isPaid?: boolean;
  }
}

type Named = Pick<StudioSearch, 'open' | 'kept' | 'example'>;

function openNamed({ open, kept, example }: Named): Promise<KeptPage | undefined> {
  if (open !== undefined) return fetchPage(open, {});
  return kept === undefined ? openExample(example ?? '') : openKept(kept);
}

/** Opens the page that the address names, once, and removes its name from the address. What costs credits waits for a click. */
function useOpening(
  pages: PagesState,
  { open: asked, kept, example }: StudioSearch,
  onSearch: (change: Partial<StudioSearch>) => void,
): UseMutationResult<KeptPage | undefined, Error, Named> {
  const isPaid = useLocation({ select: ({ state }) => state.isPaid === true });
  const open = isPaid ? asked : undefined;
  const opening = useMutation({
    mutationFn: openNamed,
    onSuccess: (page) => {
      if (page) pages.add(page);
    },
    onSettled: () => onSearch({ open: undefined, kept: undefined, example: undefined }),
  });
  const isOpened = useRef(false);
  useEffect(() => {
    if (isOpened.current || !pages.isReady || (open ?? kept ?? example) === undefined) return;
    isOpened.current = true;
    opening.mutate({ open, kept, example });
  }, [open, kept, example, pages.isReady, opening]);
  return opening;
}

interface SaveInput {
  accountId: string;
  record: CallOutput<'getParser'> | undefined;
  name: string;
  draft: Draft;
  /** The selected field in the address, which stays. */
  field: string | undefined;
  onSaved: (name: string) => void;
}

/** Saves the draft as a parser, or as the next version of one. */
function useSave({ accountId, record, name, draft, field, onSaved }: SaveInput) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [saved, setSaved] = useState(JSON.stringify(record?.schema ?? { fields: {} }));
  const [changes, setChanges] = useState<SampleChange[]>([]);
  const save = useMutation({
    mutationFn: async (isForced: boolean) => {
      const body = { name, schema: { ...draft } };
      if (!record) return { ...(await call('createParser', { body })), changes: [] };
      const force = isForced ? { force: true } : {};
      return call('updateParser', { params: { id: record.id }, body: { ...body, ...force } });
    },
    onSuccess: async ({ changes: found, ...next }) => {
      setSaved(JSON.stringify(next.schema));
      setChanges(found);
      onSaved(next.name);
      client.setQueryData(operationQuery('getParser', { params: { id: next.id } }).queryKey, next);
      await client.invalidateQueries({ queryKey: ['listParsers'] });
      if (record) return;
      await movePages(`${accountId}/new`, `${accountId}/${next.id}`).catch(() => undefined);
      await navigate({ to: '/parsers/$parserId', params: { parserId: next.id }, search: { field } });
    },
  });
  return {
    save,
    isSchemaChanged: JSON.stringify(draft) !== saved,
    changes,
    forgetChanges: () => setChanges([]),
  };
}

/** Names the browser's tab, which asks before it closes while there are unsaved changes. */
function useTab(name: string, isUnsaved: boolean): void {
  useEffect(() => {
    document.title = `${name} · Gleaner`;
  }, [name]);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUnsaved]);
}

export interface StudioProps {
  accountId: string;
  record: ParserRecord | undefined;
  search: StudioSearch;
  onSearch: (change: Partial<StudioSearch>) => void;
}

export type StudioState = ReturnType<typeof useStudioState>;

// Saved schemas were checked by the engine.
function asDraft(schema: Record<string, unknown>): Draft {
  return schema as unknown as Draft;
}

/** Everything that the parts of the studio share: the parser in the making, its pages and what it reads from them. */
export function useStudioState({ accountId, record, search, onSearch }: StudioProps) {
  const owner = `${accountId}/${record?.id ?? 'new'}`;
  const draftKey = `${owner}@${record?.version ?? 0}`;
  const { draft, change, undo, canUndo } = useDraft(draftKey, record && asDraft(record.schema));
  const pages = usePages(owner);
  const extraction = useExtraction(draft, pages.pages);
  const [name, setName] = useState(record?.name ?? '');
  const select = useCallback(
    (path: FieldPath) => onSearch({ field: path.length === 0 ? undefined : pathText(path) }),
    [onSearch],
  );
  const { save, isSchemaChanged, changes, forgetChanges } = useSave({
    accountId,
    record,
    name: parserName(name, pages.active?.url),
    draft,
    field: search.field,
    onSaved: setName,
  });
  const fieldCount = Object.keys(draft.fields).length;
  const faultCount = extraction.faults.length;
  const saving = savingOf({ record, name, fieldCount, faultCount, isSchemaChanged, save });
  const trySave = (): void => {
    if (saving.canSave) save.mutate(false);
  };
  useKeepDraft(draftKey, draft, saving.isDraftKept);
  useHotkeys([['mod+S', trySave]], [], true);
  useHotkeys([['mod+Z', undo]]);
  useTab(name || 'New parser', saving.isUnsaved);
  return {
    record,
    draft,
    change,
    undo: canUndo ? undo : undefined,
    fieldCount,
    selected: readPath(search.field),
    select,
    name,
    setName,
    pages,
    opening: useOpening(pages, search, onSearch),
    ...extraction,
    saving,
    save,
    trySave,
    changes,
    forgetChanges,
    keepSample: useKeepSample(record?.id),
    startOver: (): void => {
      change(EMPTY_DRAFT);
      setName('');
      select([]);
      for (const { id } of pages.pages) pages.remove(id);
    },
  };
}
