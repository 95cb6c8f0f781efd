import { useMemo, useState } from 'react';
import type { KeptPage } from './extraction/protocol.ts';
import { FetchSide } from './fetching/fetch-side.tsx';
import { PageAdvice } from './fetching/page-advice.tsx';
import { Recorder, useRecorder } from './fetching/recorder.tsx';
import { outlinesOf } from './picker/outlines.ts';
import { PageDataTree } from './picker/page-data.tsx';
import { PageFrame } from './picker/page-frame.tsx';
import { PageTools, type PageSide } from './picker/page-tools.tsx';
import { PickPanel } from './picker/pick-panel.tsx';
import { usePicker } from './picker/use-picker.ts';
import type { Reach } from './results/explain.ts';
import { fieldAt, setField } from './schema/draft.ts';
import { freeName, toFieldName } from './schema/names.ts';
import styles from './studio.module.css';
import type { StudioState } from './use-studio-state.ts';

interface PagePaneProps {
  studio: StudioState;
  /** The page that is shown. */
  page: KeptPage;
  side: PageSide;
  onSide: (side: PageSide) => void;
  document: Document | undefined;
  onDocument: (document: Document) => void;
  preview: string | undefined;
  tried: number | undefined;
  onPreview: (selector: string | undefined) => void;
  reach: Reach | undefined;
}

/** The page to pick from, the data that it carries, or how it is fetched. */
export function PagePane({ studio, page, side, onSide, document, ...props }: PagePaneProps) {
  const { draft, change, selected, select, pages, keepSample } = studio;
  const { preview, tried, reach } = props;
  const [pickedAt, setPickedAt] = useState<string | undefined>();
  const [isDressed, setDressed] = useState(true);
  const picker = usePicker({ draft, change, selected, select });
  const recording = useRecorder(studio);
  const outlines = useMemo(
    () => (document ? outlinesOf(document, { draft, selected, preview, tried, reach }) : []),
    [document, draft, selected, preview, tried, reach],
  );
  const isPickShown = side === 'page' && picker.pick !== undefined && pickedAt === page.id;
  const pick = (element: Element): void => {
    if (recording.isRecording) {
      recording.onPick(element);
      return;
    }
    setPickedAt(page.id);
    picker.onPick(element);
  };
  return (
    <section className={styles.pane} aria-label="Page">
      <PageTools
        {...{ pages, page, side, onSide, isDressed }}
        onDressed={setDressed}
        onKeepSample={studio.record && keepSample.mutate}
      />
      <PageAdvice studio={studio} page={page} document={document} />
      {/* The frame stays while the data is shown: making it again would take time. */}
      <div className={styles.body} hidden={side !== 'page'}>
        <PageFrame
          html={page.html}
          url={page.url}
          isDressed={isDressed}
          outlines={outlines}
          onReady={props.onDocument}
          onPick={pick}
          onClear={() => {
            picker.clear();
            select([]);
          }}
          onEnd={recording.isRecording ? recording.onEnd : undefined}
        />
      </div>
      {side !== 'page' && (
        <div className={`${styles.body} ${styles.scrolls}`}>
          {side === 'fetch' ? (
            <FetchSide
              studio={studio}
              page={page}
              onRecord={() => {
                recording.begin();
                onSide('page');
              }}
            />
          ) : (
            <PageDataTree
              extractor={studio.extractor}
              pageId={page.id}
              document={document}
              onPick={(text, field) => {
                const name = freeName(toFieldName(text) ?? 'field', Object.keys(draft.fields));
                change(setField(draft, [name], field));
                select([name]);
              }}
            />
          )}
        </div>
      )}
      {recording.isRecording ? (
        <Recorder recording={recording} studio={studio} page={page} />
      ) : (
        isPickShown && (
          <PickPanel picker={picker} fieldOf={(path) => fieldAt(draft, path)} onPreview={props.onPreview} />
        )
      )}
    </section>
  );
}
