import { useState } from 'react';
import { Failure } from '../parts/page.tsx';
import type { KeptPage } from './extraction/protocol.ts';
import { NoPage } from './pages/no-page.tsx';
import { OpenPage } from './pages/open-page.tsx';
import { SampleNotice } from './sample-notice.tsx';
import { SaveNotice } from './save-notice.tsx';
import { StudioFoot } from './studio-foot.tsx';
import { StudioHead } from './studio-head.tsx';
import styles from './studio.module.css';
import { useStudioState, type StudioProps, type StudioState } from './use-studio-state.ts';
import { SegmentedControl } from '@mantine/core';
import { FieldsPane } from './fields/fields-pane.tsx';
import { PagePane } from './page-pane.tsx';
import type { Reach } from './results/explain.ts';
import { ResultPane } from './results/result-pane.tsx';
import { addFallback } from './schema/edits.ts';
import type { StudioSearch } from './search.ts';

interface StudioPanesProps {
  studio: StudioState;
  /** The page that is shown. */
  page: KeptPage;
  search: StudioSearch;
  onSearch: (change: Partial<StudioSearch>) => void;
}

/** The page, the fields and what they give, side by side; in a narrow window one at a time. */
function StudioPanes({ studio, page, search, onSearch }: StudioPanesProps) {
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

/** Where parsers are made: the page, the fields and what they give, side by side. */
export function Studio(props: StudioProps) {
  const { search, onSearch } = props;
  const studio = useStudioState(props);
  const { record, pages, opening } = studio;
  const { active } = pages;
  const [isAdding, setAdding] = useState(search.open !== undefined);
  const addOpened = (page: KeptPage): void => {
    pages.add(page);
    onSearch({ open: undefined });
  };
  return (
    <>
      <StudioHead studio={studio} isAdding={isAdding} onAdding={setAdding} />
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
      <div className={styles.notices}>
        <SaveNotice
          parserId={record?.id}
          draft={studio.draft}
          save={studio.save}
          changes={studio.changes}
          onRead={studio.forgetChanges}
        />
        <SampleNotice parserId={record?.id} keeping={studio.keepSample} />
      </div>
      {opening.error !== null && (
        <div className="filters">
          <Failure error={opening.error} />
        </div>
      )}
      {active ? (
        <>
          <StudioPanes studio={studio} page={active} search={search} onSearch={onSearch} />
          <StudioFoot studio={studio} />
        </>
      ) : (
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
      )}
    </>
  );
}
