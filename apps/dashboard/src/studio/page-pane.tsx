import { ActionIcon, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { shortUrl } from '../format/shorten.ts';
import { IconPalette, IconTestPipe, IconTrash } from '../parts/icons.ts';
import type { Extractor } from './extraction/extractor.ts';
import type { KeptPage } from './extraction/protocol.ts';
import { fieldAt, setField, type Draft, type FieldPath } from './schema/draft.ts';
import { findMatches } from './schema/matches.ts';
import { DataTree } from './picker/data-tree.tsx';
import { freeName, toFieldName } from './schema/names.ts';
import { PageFrame, type Outline } from './picker/page-frame.tsx';
import { PickPanel } from './picker/pick-panel.tsx';
import { usePicker } from './picker/use-picker.ts';
import type { Reach } from './results/explain.ts';
import type { PagesState } from './use-studio.ts';

interface PagePaneProps {
  pages: PagesState;
  draft: Draft;
  change: (next: Draft) => void;
  selected: FieldPath;
  select: (path: FieldPath) => void;
  extractor: Extractor | undefined;
  document: Document | undefined;
  onDocument: (document: Document) => void;
  preview: string | undefined;
  onPreview: (selector: string | undefined) => void;
  reach: Reach | undefined;
  side: 'page' | 'data';
  onSide: (side: 'page' | 'data') => void;
  /** Absent for a parser that isn't saved yet. */
  onKeepSample: ((page: KeptPage) => void) | undefined;
}

const JSON_SCRIPTS = 'script[type="application/json"], script#__NEXT_DATA__, script#__NUXT_DATA__';
const MAX_SCRIPTS = 20;

/** Selectors of the scripts that hold JSON. */
function scriptsOf(page: Document): string[] {
  return [...page.querySelectorAll(JSON_SCRIPTS)]
    .map((script, index) =>
      script.id === ''
        ? index === 0
          ? 'script[type="application/json"]'
          : ''
        : `script#${CSS.escape(script.id)}`,
    )
    .filter((selector) => selector !== '')
    .slice(0, MAX_SCRIPTS);
}

function metasOf(page: Document): { name: string; content: string }[] {
  const found = new Map<string, string>();
  for (const meta of page.querySelectorAll('meta[content]')) {
    const name = meta.getAttribute('property') ?? meta.getAttribute('name');
    if (name && name !== 'viewport' && !found.has(name)) found.set(name, meta.getAttribute('content') ?? '');
  }
  return [...found].map(([name, content]) => ({ name, content }));
}

function queryAll(page: Document | undefined, selector: string | undefined): Element[] {
  if (!page || selector === undefined || selector.trim() === '') return [];
  try {
    return [...page.querySelectorAll(selector)];
  } catch {
    return [];
  }
}

/** The page to pick from, or the data that it carries. */
export function PagePane(props: PagePaneProps) {
  const {
    pages,
    draft,
    change,
    selected,
    select,
    extractor,
    document,
    onDocument,
    preview,
    onPreview,
    reach,
    side,
    onSide,
    onKeepSample,
  } = props;
  const [pickedAt, setPickedAt] = useState<string | undefined>();
  const [isDressed, setDressed] = useState(true);
  const picker = usePicker({ draft, change, selected, select });
  const page = pages.active;
  const data = useQuery({
    queryKey: ['page-data', page?.id],
    queryFn: () => {
      if (!extractor || !page || !document) throw new Error('the page is not there yet');
      return extractor.readData(page.id, scriptsOf(document));
    },
    enabled: side === 'data' && extractor !== undefined && page !== undefined && document !== undefined,
    staleTime: Infinity,
  });
  const metas = useMemo(() => (document ? metasOf(document) : []), [document]);
  const outlines = useMemo((): Outline[] => {
    if (!document) return [];
    if (preview !== undefined) return [{ kind: 'preview', elements: queryAll(document, preview) }];
    const { rows, matches } = findMatches(draft, selected, document);
    const reached = queryAll(document, reach?.reached);
    return [
      { kind: 'row', elements: rows },
      { kind: 'match', elements: matches },
      { kind: 'reach', elements: matches.length === 0 ? reached : [] },
    ];
  }, [document, draft, selected, preview, reach]);
  if (!page) return null;
  const isPickShown = picker.pick !== undefined && pickedAt === page.id;
  return (
    <section className="studio-pane" aria-label="Page">
      <div className="pane-head">
        <SegmentedControl
          data={[
            { value: 'page', label: 'Page' },
            { value: 'data', label: 'Data in it' },
          ]}
          value={side}
          onChange={(value) => onSide(value === 'data' ? 'data' : 'page')}
        />
        <Select
          aria-label="Kept page"
          className="grow"
          data={pages.pages.map(({ id, url }, index) => ({
            value: id,
            label: `${index + 1}  ${shortUrl(url) || 'pasted page'}`,
          }))}
          value={page.id}
          allowDeselect={false}
          onChange={(id) => id !== null && pages.select(id)}
        />
        <ActionIcon
          aria-label="The page’s own styles and images"
          aria-pressed={isDressed}
          title="The page’s own styles and images"
          variant={isDressed ? 'light' : 'subtle'}
          onClick={() => setDressed(!isDressed)}
        >
          <IconPalette size={15} />
        </ActionIcon>
        {onKeepSample !== undefined && (
          <ActionIcon
            aria-label="Keep this page as a sample"
            title="Keep this page as a sample: new versions are tried on it"
            onClick={() => onKeepSample(page)}
          >
            <IconTestPipe size={15} />
          </ActionIcon>
        )}
        <ActionIcon aria-label="Remove this page" onClick={() => pages.remove(page.id)}>
          <IconTrash size={15} />
        </ActionIcon>
      </div>
      {/* The frame stays while the data is shown: making it again would take time. */}
      <div className="pane-body" hidden={side === 'data'}>
        <PageFrame
          html={page.html}
          url={page.url}
          isDressed={isDressed}
          outlines={outlines}
          onReady={onDocument}
          onPick={(element) => {
            setPickedAt(page.id);
            picker.onPick(element);
          }}
          onClear={() => {
            picker.clear();
            select([]);
          }}
        />
      </div>
      {side === 'data' && (
        <div className="pane-body scrolls">
          <DataTree
            data={data.data}
            metas={metas}
            onPick={(text, field) => {
              const name = freeName(toFieldName(text) ?? 'field', Object.keys(draft.fields));
              change(setField(draft, [name], field));
              select([name]);
            }}
          />
        </div>
      )}
      {isPickShown && side === 'page' && (
        <PickPanel picker={picker} fieldOf={(path) => fieldAt(draft, path)} onPreview={onPreview} />
      )}
    </section>
  );
}
