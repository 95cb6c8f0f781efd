import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { CallOutput } from '../api/call.ts';
import { CodeDialog } from '../parts/code-dialog.tsx';
import { IconCode, IconPlayerPlay, IconPlus } from '../parts/icons.ts';
import { RecordLinks } from './record-links.tsx';
import { Failure } from '../parts/states.tsx';
import {
  EMPTY_DRAFT,
  fieldAt,
  pathText,
  readPath,
  setField,
  type Draft,
  type FieldPath,
} from './schema/draft.ts';
import { FieldsPane } from './fields/fields-pane.tsx';
import { readSources, writeSources } from './schema/sources.ts';
import { PagePane } from './page-pane.tsx';
import { NoPage } from './pages/no-page.tsx';
import type { KeptPage } from './extraction/protocol.ts';
import { OpenPage } from './pages/open-page.tsx';
import { ResultPane } from './results/result-pane.tsx';
import type { Reach } from './results/explain.ts';
import { SampleNotice } from './sample-notice.tsx';
import { SaveNotice } from './save-notice.tsx';
import type { StudioSearch } from './search.ts';
import { StudioFoot } from './studio-foot.tsx';
import { parserSnippets, schemaSnippets } from './studio-code.ts';
import './studio.css';
import { useKeepSample } from './use-keep-sample.ts';
import { useOpening } from './use-opening.ts';
import { useSave } from './use-save.ts';
import { useTab } from './use-tab.ts';
import { useDraft, useKeepDraft } from './use-draft.ts';
import { useExtraction, usePages } from './use-studio.ts';

type ParserRecord = CallOutput<'getParser'>;

interface StudioProps {
  accountId: string;
  record: ParserRecord | undefined;
  search: StudioSearch;
  onSearch: (change: Partial<StudioSearch>) => void;
}

// Saved schemas were checked by the engine.
function asDraft(schema: Record<string, unknown>): Draft {
  return schema as unknown as Draft;
}

function nameFor(url: string): string {
  try {
    return new URL(url).hostname.replace(/^www\./, '');
  } catch {
    return 'new parser';
  }
}

/** Where parsers are made: the page, the fields and what they give, side by side. */
export function Studio({ accountId, record, search, onSearch }: StudioProps) {
  const navigate = useNavigate();
  const owner = `${accountId}/${record?.id ?? 'new'}`;
  const draftKey = `${owner}@${record?.version ?? 0}`;
  const { draft, change, undo, canUndo } = useDraft(draftKey, record && asDraft(record.schema));
  const pages = usePages(owner);
  const { outcome, faults, problem, extractor } = useExtraction(draft, pages.pages);
  const [name, setName] = useState(record?.name ?? '');
  const [shownDocument, setDocument] = useState<Document | undefined>();
  const [preview, setPreview] = useState<string | undefined>();
  const [reach, setReach] = useState<Reach | undefined>();
  const [isAdding, setAdding] = useState(search.open !== undefined);
  const [isCodeShown, setCodeShown] = useState(false);
  const [narrowPane, setNarrowPane] = useState('page');
  const selected = readPath(search.field);
  const select = useCallback(
    (path: FieldPath) => onSearch({ field: path.length === 0 ? undefined : pathText(path) }),
    [onSearch],
  );

  const opening = useOpening(pages, search, onSearch);
  const addOpened = (page: KeptPage): void => {
    pages.add(page);
    onSearch({ open: undefined });
  };
  const fieldCount = Object.keys(draft.fields).length;
  const { save, isSchemaChanged, changes, forgetChanges } = useSave({
    accountId,
    record,
    name: name.trim() || nameFor(pages.active?.url ?? ''),
    draft,
    field: search.field,
    onSaved: setName,
  });
  const keepSample = useKeepSample(record?.id);
  const isChanged = isSchemaChanged || (record !== undefined && name !== record.name);
  useKeepDraft(
    draftKey,
    draft,
    isSchemaChanged && fieldCount > 0 && (record !== undefined || !save.isSuccess),
  );
  const canSave = fieldCount > 0 && faults.length === 0 && isChanged && !save.isPending;
  const trySave = (): void => {
    if (canSave) save.mutate(false);
  };
  useHotkeys([['mod+S', trySave]], [], true);
  useHotkeys([['mod+Z', undo]]);
  useTab(name || 'New parser', isChanged && fieldCount > 0);

  const addFallback = (near: string | undefined): void => {
    const field = fieldAt(draft, selected);
    if (!field) return;
    change(
      setField(
        draft,
        selected,
        writeSources(field, [...readSources(field), { kind: 'css', text: near ?? 'body' }]),
      ),
    );
    setNarrowPane('fields');
  };
  const startOver = (): void => {
    change(EMPTY_DRAFT);
    setName('');
    select([]);
    for (const { id } of pages.pages) pages.remove(id);
  };
  const active = pages.active;
  return (
    <>
      <header className="page-head">
        <nav aria-label="Breadcrumb" className="crumb row">
          <Link to="/parsers">Parsers</Link>
          <span aria-hidden>/</span>
        </nav>
        <h1 className="visually-hidden">{name || 'New parser'}</h1>
        <TextInput
          aria-label="Name of the parser"
          placeholder={active ? nameFor(active.url) : 'Name'}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          className="name-input"
        />
        {record && <RecordLinks parserId={record.id} version={record.version} />}
        {isChanged && fieldCount > 0 && <span className="small status attention">not saved</span>}
        <div className="grow" />
        <div className="row wrap">
          {active && !record && (
            <Button variant="subtle" color="gray" onClick={startOver}>
              Start over
            </Button>
          )}
          {active && (
            <Button
              variant="default"
              leftSection={<IconPlus size={14} />}
              aria-expanded={isAdding}
              onClick={() => setAdding(!isAdding)}
            >
              Page
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconCode size={14} />}
            disabled={fieldCount === 0}
            onClick={() => setCodeShown(true)}
          >
            Get code
          </Button>
          {record && (
            <Button
              // The next step after saving.
              variant={isChanged ? 'default' : 'filled'}
              leftSection={<IconPlayerPlay size={14} />}
              onClick={() => void navigate({ to: '/runs/new', search: { parser: record.id } })}
            >
              Run over many pages
            </Button>
          )}
          <Button disabled={!canSave} loading={save.isPending} onClick={trySave}>
            {record && isSchemaChanged ? `Save v${record.version + 1}` : 'Save'}
          </Button>
        </div>
      </header>
      {isAdding && active && (
        <div className="filters">
          <div className="grow">
            <OpenPage
              initialUrl={search.open}
              onOpened={(page) => {
                addOpened(page);
                setAdding(false);
              }}
            />
          </div>
        </div>
      )}
      <div className="studio-notices">
        <SaveNotice
          parserId={record?.id}
          draft={draft}
          save={save}
          changes={changes}
          onRead={forgetChanges}
        />
        <SampleNotice parserId={record?.id} keeping={keepSample} />
      </div>
      {opening.error !== null && (
        <div className="filters">
          <Failure error={opening.error} />
        </div>
      )}
      {!active ? (
        <div className="page-body padded">
          {opening.isPending || !pages.isReady ? (
            <p className="state inset soft" role="status">
              Opening the page …
            </p>
          ) : (
            <NoPage
              initialUrl={search.open}
              onOpened={addOpened}
              onExample={(chosen) => opening.mutate({ open: undefined, example: chosen })}
            />
          )}
        </div>
      ) : (
        <div className="studio" data-pane={narrowPane}>
          <SegmentedControl
            className="studio-tabs"
            fullWidth
            data={[
              { value: 'page', label: 'Page' },
              { value: 'fields', label: `Fields ${fieldCount}` },
              { value: 'result', label: 'Result' },
            ]}
            value={narrowPane}
            onChange={setNarrowPane}
          />
          <PagePane
            pages={pages}
            draft={draft}
            change={change}
            selected={selected}
            select={select}
            extractor={extractor}
            document={shownDocument}
            onDocument={setDocument}
            preview={preview}
            onPreview={setPreview}
            reach={reach}
            side={search.left ?? 'page'}
            onSide={(side) => onSearch({ left: side === 'data' ? 'data' : undefined })}
            onKeepSample={record && keepSample.mutate}
          />
          <FieldsPane
            draft={draft}
            change={change}
            selected={selected}
            select={select}
            faults={faults}
            pages={outcome?.pages ?? []}
            onPreview={setPreview}
            keptPages={pages.pages}
            page={active}
            undo={canUndo ? undo : undefined}
            view={search.fields ?? 'form'}
            onView={(view) => onSearch({ fields: view === 'json' ? 'json' : undefined })}
          />
          <ResultPane
            draft={draft}
            pages={pages}
            page={active}
            outcome={outcome}
            problem={problem}
            selected={selected}
            select={select}
            document={shownDocument}
            view={search.result ?? 'table'}
            onView={(view) => onSearch({ result: view === 'json' ? 'json' : undefined })}
            onReach={setReach}
            onFallback={addFallback}
          />
        </div>
      )}
      {active && (
        <StudioFoot
          fieldCount={fieldCount}
          pageCount={pages.pages.length}
          outcome={outcome}
          fault={faults[0]}
        />
      )}
      <CodeDialog
        opened={isCodeShown}
        onClose={() => setCodeShown(false)}
        title="Code"
        snippets={
          record && !isChanged
            ? parserSnippets(location.origin, record.id, active?.url ?? '')
            : schemaSnippets(location.origin, draft, active?.url ?? '')
        }
      />
    </>
  );
}
