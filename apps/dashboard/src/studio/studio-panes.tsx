import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { KeptPage } from './extraction/protocol.ts';
import { FieldsPane } from './fields/fields-pane.tsx';
import { PagePane } from './page-pane.tsx';
import type { Reach } from './results/explain.ts';
import { ResultPane } from './results/result-pane.tsx';
import { addFallback } from './schema/edits.ts';
import type { StudioSearch } from './search.ts';
import styles from './studio.module.css';
import type { StudioState } from './use-studio-state.ts';

interface StudioPanesProps {
  studio: StudioState;
  /** The page that is shown. */
  page: KeptPage;
  search: StudioSearch;
  onSearch: (change: Partial<StudioSearch>) => void;
}

/** The page, the fields and what they give, side by side; in a narrow window one at a time. */
export function StudioPanes({ studio, page, search, onSearch }: StudioPanesProps) {
  const { draft, change, selected, select, pages, outcome, keepSample } = studio;
  const [shownDocument, setDocument] = useState<Document | undefined>();
  const [preview, setPreview] = useState<string | undefined>();
  const [reach, setReach] = useState<Reach | undefined>();
  const [narrowPane, setNarrowPane] = useState('page');
  return (
    <div className={styles.panes} data-pane={narrowPane}>
      <SegmentedControl
        className={styles.tabs}
        fullWidth
        data={[
          { value: 'page', label: 'Page' },
          { value: 'fields', label: `Fields ${studio.fieldCount}` },
          { value: 'result', label: 'Result' },
        ]}
        value={narrowPane}
        onChange={setNarrowPane}
      />
      <PagePane
        {...{ pages, page, draft, change, selected, select, preview, reach }}
        extractor={studio.extractor}
        document={shownDocument}
        onDocument={setDocument}
        onPreview={setPreview}
        side={search.left ?? 'page'}
        onSide={(side) => onSearch({ left: side === 'data' ? 'data' : undefined })}
        onKeepSample={studio.record && keepSample.mutate}
      />
      <FieldsPane
        {...{ page, draft, change, selected, select }}
        faults={studio.faults}
        pages={outcome?.pages ?? []}
        onPreview={setPreview}
        keptPages={pages.pages}
        undo={studio.undo}
        view={search.fields ?? 'form'}
        onView={(view) => onSearch({ fields: view === 'json' ? 'json' : undefined })}
      />
      <ResultPane
        {...{ page, pages, draft, outcome, selected, select }}
        problem={studio.problem}
        document={shownDocument}
        view={search.result ?? 'table'}
        onView={(view) => onSearch({ result: view === 'json' ? 'json' : undefined })}
        onReach={setReach}
        onFallback={(near) => {
          change(addFallback(draft, selected, near));
          setNarrowPane('fields');
        }}
      />
    </div>
  );
}
