import { useHotkeys } from '@mantine/hooks';
import { useCallback, useState } from 'react';
import { parserName, savingOf, type ParserRecord } from './saving.ts';
import { EMPTY_DRAFT, pathText, readPath, type Draft, type FieldPath } from './schema/draft.ts';
import type { StudioSearch } from './search.ts';
import { useDraft, useKeepDraft } from './use-draft.ts';
import { useKeepSample } from './use-keep-sample.ts';
import { useOpening } from './use-opening.ts';
import { useSave } from './use-save.ts';
import { useExtraction, usePages } from './use-studio.ts';
import { useTab } from './use-tab.ts';

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
