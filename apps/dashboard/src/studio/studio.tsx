import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { Failure } from '../parts/page.tsx';
import type { KeptPage } from './extraction/protocol.ts';
import { FieldsPane } from './fields/fields-pane.tsx';
import { PagePane } from './page-pane.tsx';
import { NoPage } from './pages/no-page.tsx';
import { OpenPage, type OpenPageProps } from './pages/open-page.tsx';
import type { Reach } from './results/explain.ts';
import { ResultPane } from './results/result-pane.tsx';
import { SampleNotice } from './sample-notice.tsx';
import { SaveNotice } from './save-notice.tsx';
import { addFallback } from './schema/edits.ts';
import type { StudioSearch } from './search.ts';
import { StudioFoot } from './studio-foot.tsx';
import { StudioHead } from './studio-head.tsx';
import styles from './studio.module.css';
import { usePaneWidths } from './use-pane-widths.ts';
import { useStudioState, type StudioProps, type StudioState } from './use-studio-state.ts';

interface StudioPartProps {
  studio: StudioState;
  search: StudioSearch;
  onSearch: (change: Partial<StudioSearch>) => void;
}

/** The page, the fields and what they give, side by side; in a narrow window one at a time. */
function StudioPanes({ studio, search, onSearch }: StudioPartProps) {
  const { draft, change, selected, select, pages, outcome } = studio;
  const { active: page } = pages;
  const [shownDocument, setDocument] = useState<Document | undefined>();
  const [preview, setPreview] = useState<string | undefined>();
  const [tried, setTried] = useState<number | undefined>();
  const [reach, setReach] = useState<Reach | undefined>();
  const [narrowPane, setNarrowPane] = useState('page');
  const widths = usePaneWidths();
  return (
    <div className={styles.panes} data-pane={narrowPane} ref={widths.ref} style={widths.style}>
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
      {page ? (
        <PagePane
          {...{ studio, page, preview, tried, reach }}
          document={shownDocument}
          onDocument={setDocument}
          onPreview={setPreview}
          side={search.left ?? 'page'}
          onSide={(side) => onSearch({ left: side === 'page' ? undefined : side })}
        />
      ) : (
        <section className={styles.pane} aria-label="Page">
          <div className={`${styles.body} ${styles.scrolls} ${styles.first}`}>
            <FirstPage {...{ studio, search, onSearch }} />
          </div>
        </section>
      )}
      <div className={styles.handle} aria-label="Width of the page" {...widths.handle(0)} />
      <FieldsPane
        {...{ page, draft, change, selected, select }}
        faults={studio.faults}
        pages={outcome?.pages ?? []}
        onTried={setTried}
        undo={studio.undo}
        redo={studio.redo}
        view={search.fields ?? 'form'}
        onView={(view) => onSearch({ fields: view === 'json' ? 'json' : undefined })}
      />
      <div className={styles.handle} aria-label="Width of the result" {...widths.handle(1)} />
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

/** How a page is opened by hand: by its address as the parser fetches it, or as pasted HTML. */
function openingOf({ studio, search, onSearch }: StudioPartProps, onDone: () => void): OpenPageProps {
  const { fetching, config, configure, pages } = studio;
  return {
    fetching,
    config,
    onConfig: configure,
    initialUrl: search.open ?? fetching.variables?.url,
    onPasted: (page: KeptPage) => {
      pages.add(page);
      onSearch({ open: undefined });
      onDone();
    },
  };
}

/** The way to the first page. */
function FirstPage(props: StudioPartProps) {
  const { record, accountId, opening, pages, fieldCount } = props.studio;
  if (opening.isPending || !pages.isReady) {
    return (
      <p className="state inset soft" role="status">
        Opening the page …
      </p>
    );
  }
  return (
    <NoPage
      {...openingOf(props, () => undefined)}
      accountId={record || fieldCount > 0 ? undefined : accountId}
      onExample={(example) => opening.mutate({ example })}
    />
  );
}

/** Where parsers are made: the page, the fields and what they give, side by side. */
export function Studio(props: StudioProps) {
  const { search, onSearch } = props;
  const studio = useStudioState(props);
  const { record, pages, opening } = studio;
  const { active } = pages;
  const part = { studio, search, onSearch };
  /** The page that is shown while another one is asked for; the bar closes when there is another. */
  const [addingBeside, setAddingBeside] = useState<string | undefined>();
  const isAdding = active !== undefined && (addingBeside === active.id || search.open !== undefined);
  return (
    <>
      <StudioHead
        studio={studio}
        isAdding={isAdding}
        onAdding={(isOpen) => {
          setAddingBeside(isOpen ? active?.id : undefined);
          onSearch({ open: undefined });
        }}
      />
      {isAdding && (
        <div className="filters">
          <div className="grow">
            <OpenPage {...openingOf(part, () => setAddingBeside(undefined))} />
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
      {active || record || studio.fieldCount > 0 ? (
        <>
          <StudioPanes {...part} />
          <StudioFoot studio={studio} />
        </>
      ) : (
        <div className="page-body padded">
          <FirstPage {...part} />
        </div>
      )}
    </>
  );
}
