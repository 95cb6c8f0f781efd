import { lazy, Suspense, useMemo, useState } from 'react';
import type { KeptPage } from './extraction/protocol.ts';
import { Loading } from '../parts/page.tsx';
import { FetchSide } from './fetching/fetch-side.tsx';
import { PageAdvice } from './fetching/page-advice.tsx';
import { useRecorder } from './fetching/use-recorder.ts';
import { outlinesOf } from './picker/outlines.ts';
import { PageFrame } from './picker/page-frame.tsx';
import { PageTools } from './picker/page-tools.tsx';
import { PickPanel } from './picker/pick-panel.tsx';
import { usePicker } from './picker/use-picker.ts';
import type { PageSide } from './search.ts';
import styles from './studio.module.css';
import type { StudioState } from './use-studio-state.ts';

/** Shown once recording has begun. */
const Recorder = lazy(async () => ({ default: (await import('./fetching/recorder.tsx')).Recorder }));
/** Few pages are JSON. */
const DataTree = lazy(async () => ({ default: (await import('./picker/data-tree.tsx')).DataTree }));

/** Whether the page is JSON itself: a tree shows it, not its text. */
function isJson({ html }: KeptPage): boolean {
  if (!/^\s*[[{]/.test(html)) return false;
  try {
    JSON.parse(html);
    return true;
  } catch {
    return false;
  }
}

interface PagePaneProps {
  studio: StudioState;
  /** The page that is shown. */
  page: KeptPage;
}

/** The page to pick from, the data that it carries, or how it is fetched. */
export function PagePane({ studio, page }: PagePaneProps) {
  const { draft, selected, select, search, document, preview, tried, reach } = studio;
  const usual: PageSide = useMemo(() => (isJson(page) ? 'data' : 'page'), [page]);
  const side = search.left ?? usual;
  const setSide = (next: PageSide): void => studio.onSearch({ left: next === usual ? undefined : next });
  const [pickedAt, setPickedAt] = useState<string | undefined>();
  const [isDressed, setDressed] = useState(true);
  const picker = usePicker(studio);
  const recording = useRecorder(studio);
  const outlines = useMemo(
    () => (document ? outlinesOf(document, { draft, selected, preview, tried, reach }) : []),
    [document, draft, selected, preview, tried, reach],
  );
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
      <PageTools {...{ studio, page, side, isDressed }} onSide={setSide} onDressed={setDressed} />
      <PageAdvice studio={studio} page={page} />
      {/* The frame stays while the data is shown: making it again would take time. */}
      <div className={styles.body} hidden={side !== 'page'}>
        <PageFrame
          page={page}
          isDressed={isDressed}
          outlines={outlines}
          show={studio.show}
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
                setSide('page');
              }}
            />
          ) : (
            <Suspense fallback={<Loading what="the data" />}>
              <DataTree studio={studio} page={page} />
            </Suspense>
          )}
        </div>
      )}
      {recording.isRecording ? (
        <Suspense fallback={null}>
          <Recorder recording={recording} studio={studio} page={page} />
        </Suspense>
      ) : (
        side === 'page' && pickedAt === page.id && <PickPanel picker={picker} studio={studio} />
      )}
    </section>
  );
}
