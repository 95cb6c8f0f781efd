import { Button, SegmentedControl } from '@mantine/core';
import { useLocalStorage, useSplitter } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState, type CSSProperties } from 'react';
import { formatDuration, plural } from '../format/format.ts';
import { choicesOf } from '../parts/choices.ts';
import { Failure } from '../parts/page.tsx';
import { ExampleChoice } from './fetching/examples.tsx';
import { SampleChanges, VersionFailure } from '../samples/sample-changes.tsx';
import { FieldsPane } from './fields/fields-pane.tsx';
import { PagePane } from './page-pane.tsx';
import { OpenPage, type OpenPageProps } from './pages/open-page.tsx';
import pageStyles from './pages/pages.module.css';
import { UnsavedParsers } from './pages/unsaved-parsers.tsx';
import { ResultPane } from './results/result-pane.tsx';
import { SavedMeanwhile } from './saving.ts';
import { addFallback } from './schema/edits.ts';
import { StudioHead } from './studio-head.tsx';
import styles from './studio.module.css';
import { useStudioState, type StudioProps, type StudioState } from './use-studio-state.ts';

interface StudioPartProps {
  studio: StudioState;
}

/** Shares of the window: the page, the fields, the result. */
const SHARES = [43, 25, 32];
const MIN_SHARE = 15;

/** The page, the fields and what they give, side by side as they were dragged last; in a narrow window one at a time. */
function StudioPanes({ studio }: StudioPartProps) {
  const { page } = studio;
  const [narrowPane, setNarrowPane] = useState('page');
  const [shares, setShares] = useLocalStorage({
    key: 'gleaner-studio-panes',
    defaultValue: SHARES,
    getInitialValueInEffect: false,
  });
  const { ref, getHandleProps } = useSplitter<HTMLDivElement>({
    panels: SHARES.map((defaultSize) => ({ defaultSize, min: MIN_SHARE })),
    sizes: shares,
    // Bare numbers come back as such.
    onSizeChange: (sizes) => setShares(sizes.map(Number)),
  });
  const [ofPage = 1, ofFields = 1, ofResult = 1] = shares;
  const widths = { '--page': `${ofPage}fr`, '--fields': `${ofFields}fr`, '--result': `${ofResult}fr` };
  return (
    <div className={styles.panes} data-pane={narrowPane} ref={ref} style={widths as CSSProperties}>
      <SegmentedControl
        className={styles.tabs}
        fullWidth
        data={choicesOf({ page: 'Page', fields: `Fields ${studio.fieldCount}`, result: 'Result' })}
        value={narrowPane}
        onChange={setNarrowPane}
      />
      {page ? (
        <PagePane studio={studio} page={page} />
      ) : (
        <section className={styles.pane} aria-label="Page">
          <div className={`${styles.body} ${styles.scrolls} ${styles.first}`}>
            <FirstPage studio={studio} />
          </div>
        </section>
      )}
      <div className={styles.handle} aria-label="Width of the page" {...getHandleProps({ index: 0 })} />
      <FieldsPane studio={studio} />
      <div className={styles.handle} aria-label="Width of the result" {...getHandleProps({ index: 1 })} />
      <ResultPane
        studio={studio}
        onFallback={(near) => {
          studio.change(addFallback(studio.draft, studio.selected, near));
          setNarrowPane('fields');
        }}
      />
    </div>
  );
}

/** How a page is opened by hand: by its address as the parser fetches it, or as pasted HTML. */
function openingOf(studio: StudioState, onDone?: () => void): OpenPageProps {
  const { fetching, config, configure, pages, search, onSearch } = studio;
  return {
    fetching,
    config,
    onConfig: configure,
    initialUrl: search.open ?? fetching.variables?.url,
    onPasted: (page) => {
      pages.add(page);
      onSearch({ open: undefined });
      onDone?.();
    },
  };
}

/** The way to the first page. */
function FirstPage({ studio }: StudioPartProps) {
  const { record, accountId, opening, pages, fieldCount } = studio;
  if (opening.isPending || !pages.isReady) {
    return (
      <p className="state inset soft" role="status">
        Opening the page …
      </p>
    );
  }
  return (
    <div className={`form ${pageStyles.none}`}>
      <h2 className={pageStyles.question}>Which page should it read?</h2>
      <OpenPage {...openingOf(studio)} isLarge />
      <p className="soft">Or start with an example:</p>
      <ExampleChoice onChoose={(example) => opening.mutate({ example })} />
      {/* In place of an empty parser somebody may go on with one that was begun. */}
      {!record && fieldCount === 0 && <UnsavedParsers accountId={accountId} />}
    </div>
  );
}

/** What was saved in another tab or by another person, and whether it or the work here counts. */
function MeanwhileNotice({ studio: { save, take }, error }: StudioPartProps & { error: SavedMeanwhile }) {
  const { current } = error;
  return (
    <div className="notice" role="alert">
      <span className="grow">{error.message} It differs from what you began with.</span>
      <Button variant="default" onClick={() => take(current)}>
        Show v{current.version} instead of mine
      </Button>
      <Button
        loading={save.isPending}
        onClick={() => save.mutate({ ...save.variables, over: current.version })}
      >
        Save mine over it
      </Button>
    </div>
  );
}

/** The answer to a save, where it needs attention: a refusal, or values that read differently now. */
function SaveNotice({ studio }: StudioPartProps) {
  const { record, draft, save, changes, forgetChanges } = studio;
  if (save.error instanceof SavedMeanwhile) return <MeanwhileNotice studio={studio} error={save.error} />;
  if (save.error !== null)
    return (
      <VersionFailure
        parserId={record?.id ?? ''}
        change={save}
        versionOf={() => ({ schema: { ...draft } })}
      />
    );
  if (changes.length === 0) return null;
  return (
    <div className="notice" role="status">
      <div className="stack grow">
        <strong>Saved. {plural(changes.length, 'value')} changed on samples.</strong>
        <SampleChanges changes={changes} />
        <div>
          <Button variant="default" onClick={forgetChanges}>
            Close
          </Button>
        </div>
      </div>
    </div>
  );
}

/** The outcome of keeping a page as a sample. */
function SampleNotice({ studio: { record, keepSample } }: StudioPartProps) {
  const { error, data: sample, reset } = keepSample;
  if (error !== null) return <Failure error={error} />;
  if (sample === undefined || record === undefined) return null;
  return (
    <div className="notice good" role="status">
      <span className="grow">
        Kept as a sample with {plural(Object.keys(sample.expected ?? {}).length, 'pinned value')}, as the
        saved version reads them.{' '}
        <Link to="/parsers/$parserId/samples" params={{ parserId: record.id }} search={{ sample: sample.id }}>
          Look at it
        </Link>
      </span>
      <Button variant="subtle" onClick={reset}>
        Close
      </Button>
    </div>
  );
}

/** What the studio holds, how fast it read it, and the first fault of the schema. */
function StudioFoot({ studio: { fieldCount, pages, outcome, faults } }: StudioPartProps) {
  const [fault] = faults;
  return (
    <footer className={`${styles.foot} small soft`}>
      <span>
        {plural(fieldCount, 'field')} · {plural(pages.pages.length, 'page')}
      </span>
      {outcome !== undefined && <span>read in {formatDuration(Math.max(1, outcome.ms))}</span>}
      {fault !== undefined && (
        <span className="bad-text truncate">
          {fault.path}: {fault.reason}
        </span>
      )}
    </footer>
  );
}

/** Where parsers are made: the page, the fields and what they give, side by side. */
export function Studio(props: StudioProps) {
  const { search, onSearch } = props;
  const studio = useStudioState(props);
  const { record, page, opening } = studio;
  /** The page that is shown while another one is asked for; the bar closes when there is another. */
  const [addingBeside, setAddingBeside] = useState<string | undefined>();
  const isAdding = page !== undefined && (addingBeside === page.id || search.open !== undefined);
  return (
    <>
      <StudioHead
        studio={studio}
        isAdding={isAdding}
        onAdding={(isOpen) => {
          setAddingBeside(isOpen ? page?.id : undefined);
          onSearch({ open: undefined });
        }}
      />
      {isAdding && (
        <div className="filters">
          <div className="grow">
            <OpenPage {...openingOf(studio, () => setAddingBeside(undefined))} />
          </div>
        </div>
      )}
      <div className={styles.notices}>
        <SaveNotice studio={studio} />
        <SampleNotice studio={studio} />
      </div>
      {opening.error !== null && (
        <div className="filters">
          <Failure error={opening.error} />
        </div>
      )}
      {page || record || studio.fieldCount > 0 ? (
        <>
          <StudioPanes studio={studio} />
          <StudioFoot studio={studio} />
        </>
      ) : (
        <div className="page-body padded">
          <FirstPage studio={studio} />
        </div>
      )}
    </>
  );
}
