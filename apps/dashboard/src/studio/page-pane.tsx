import { useMemo, useState } from 'react';
import type { Extractor } from './extraction/extractor.ts';
import { PageTools, type PageToolsProps } from './page-tools.tsx';
import { outlinesOf } from './picker/outlines.ts';
import { PageDataTree } from './picker/page-data-tree.tsx';
import { PageFrame } from './picker/page-frame.tsx';
import { PickPanel } from './picker/pick-panel.tsx';
import { usePicker } from './picker/use-picker.ts';
import type { Reach } from './results/explain.ts';
import { fieldAt, setField, type Draft, type FieldPath } from './schema/draft.ts';
import { freeName, toFieldName } from './schema/names.ts';
import styles from './studio.module.css';

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
