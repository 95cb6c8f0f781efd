import { useMemo, useState } from 'react';
import type { Extractor } from './extraction/extractor.ts';
import { outlinesOf } from './picker/outlines.ts';
import { PageFrame } from './picker/page-frame.tsx';
import { PickPanel } from './picker/pick-panel.tsx';
import { usePicker } from './picker/use-picker.ts';
import type { Reach } from './results/explain.ts';
import { fieldAt, setField, type Draft, type FieldPath } from './schema/draft.ts';
import { freeName, toFieldName } from './schema/names.ts';
import styles from './studio.module.css';
import { ActionIcon, SegmentedControl, Select } from '@mantine/core';
import { IconPalette, IconTestPipe, IconTrash } from '../parts/icons.ts';
import type { KeptPage } from './extraction/protocol.ts';
import { pageLabel } from './pages/page-name.ts';
import type { PagesState } from './use-studio.ts';
import type { FieldObject } from '@gleaner/contracts';
import { useQuery } from '@tanstack/react-query';
import { DataTree } from './picker/data-tree.tsx';

interface PageToolsProps {
  pages: PagesState;
  /** The page that is shown. */
  page: KeptPage;
  side: 'page' | 'data';
  onSide: (side: 'page' | 'data') => void;
  /** Absent for a parser that isn't saved yet. */
  onKeepSample: ((page: KeptPage) => void) | undefined;
  isDressed: boolean;
  onDressed: (isDressed: boolean) => void;
}

/** Which page is shown, and how. */
function PageTools(props: PageToolsProps) {
  const { pages, page, side, onSide, onKeepSample, isDressed, onDressed } = props;
  return (
    <div className={styles.head}>
      <SegmentedControl
        data={[
          { value: 'page', label: 'Page' },
          { value: 'data', label: 'Page data' },
        ]}
        value={side}
        onChange={(value) => onSide(value === 'data' ? 'data' : 'page')}
      />
      <Select
        aria-label="Kept page"
        className="grow"
        data={pages.pages.map(({ id, url }, index) => ({ value: id, label: pageLabel(url, index) }))}
        value={page.id}
        allowDeselect={false}
        onChange={(id) => id !== null && pages.select(id)}
      />
      <ActionIcon
        aria-label="The page’s own styles and images"
        aria-pressed={isDressed}
        title="The page’s own styles and images"
        variant={isDressed ? 'light' : 'subtle'}
        onClick={() => onDressed(!isDressed)}
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
  );
}

interface PageDataTreeProps {
  extractor: Extractor | undefined;
  pageId: string;
  document: Document | undefined;
  onPick: (name: string, field: FieldObject) => void;
}

/** The data that a page carries, read in the browser. */
function PageDataTree({ extractor, pageId, document, onPick }: PageDataTreeProps) {
  const data = useQuery({
    queryKey: ['page-data', pageId],
    queryFn: () => {
      if (!extractor || !document) throw new Error('the page is not there yet');
      return extractor.readData(pageId, scriptsOf(document));
    },
    enabled: extractor !== undefined && document !== undefined,
    staleTime: Infinity,
  });
  const metas = useMemo(() => (document ? metasOf(document) : []), [document]);
  return <DataTree data={data.data} metas={metas} onPick={onPick} />;
}

const JSON_SCRIPTS = 'script[type="application/json"], script#__NEXT_DATA__, script#__NUXT_DATA__';
const MAX_SCRIPTS = 20;

/** Selectors of the scripts that hold JSON. */
function scriptsOf(page: Document): string[] {
  return [...page.querySelectorAll(JSON_SCRIPTS)]
    .flatMap(({ id }, index) => {
      if (id !== '') return [`script#${CSS.escape(id)}`];
      return index === 0 ? ['script[type="application/json"]'] : [];
    })
    .slice(0, MAX_SCRIPTS);
}

/** The names and contents of the meta elements, each name once. */
function metasOf(page: Document): { name: string; content: string }[] {
  const found = new Map<string, string>();
  for (const meta of page.querySelectorAll('meta[content]')) {
    const name = meta.getAttribute('property') ?? meta.getAttribute('name');
    if (name && name !== 'viewport' && !found.has(name)) found.set(name, meta.getAttribute('content') ?? '');
  }
  return [...found].map(([name, content]) => ({ name, content }));
}

interface PagePaneProps extends Omit<PageToolsProps, 'isDressed' | 'onDressed'> {
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
}

/** The page to pick from, or the data that it carries. */
export function PagePane(props: PagePaneProps) {
  const { page, side, draft, change, selected, select, document, preview, reach } = props;
  const [pickedAt, setPickedAt] = useState<string | undefined>();
  const [isDressed, setDressed] = useState(true);
  const picker = usePicker({ draft, change, selected, select });
  const outlines = useMemo(
    () => (document ? outlinesOf(document, { draft, selected, preview, reach }) : []),
    [document, draft, selected, preview, reach],
  );
  const isPickShown = side === 'page' && picker.pick !== undefined && pickedAt === page.id;
  return (
    <section className={styles.pane} aria-label="Page">
      <PageTools {...props} isDressed={isDressed} onDressed={setDressed} />
      {/* The frame stays while the data is shown: making it again would take time. */}
      <div className={styles.body} hidden={side === 'data'}>
        <PageFrame
          html={page.html}
          url={page.url}
          isDressed={isDressed}
          outlines={outlines}
          onReady={props.onDocument}
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
        <div className={`${styles.body} ${styles.scrolls}`}>
          <PageDataTree
            extractor={props.extractor}
            pageId={page.id}
            document={document}
            onPick={(text, field) => {
              const name = freeName(toFieldName(text) ?? 'field', Object.keys(draft.fields));
              change(setField(draft, [name], field));
              select([name]);
            }}
          />
        </div>
      )}
      {isPickShown && (
        <PickPanel picker={picker} fieldOf={(path) => fieldAt(draft, path)} onPreview={props.onPreview} />
      )}
    </section>
  );
}
