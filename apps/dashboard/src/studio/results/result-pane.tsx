import { SegmentedControl } from '@mantine/core';
import { choicesOf } from '../../parts/choices.ts';
import panes from '../studio.module.css';
import type { StudioState } from '../use-studio-state.ts';
import { FieldStory } from './field-story.tsx';
import { ResultTables } from './result-table.tsx';
import styles from './results.module.css';

const VIEWS = { table: 'Table', json: 'JSON' } satisfies Record<'table' | 'json', string>;

interface ResultPaneProps {
  studio: StudioState;
  onFallback: (near: string | undefined) => void;
}

/** The values of the fields on every kept page, and the explanation of the selected field. */
export function ResultPane({ studio, onFallback }: ResultPaneProps) {
  const { pages, page, outcome, problem, selected, search, onSearch } = studio;
  const view = search.result ?? 'table';
  const results = outcome?.pages ?? [];
  const told = results.filter(({ failure, hint }) => failure !== null || hint !== null);
  return (
    <section className={`${panes.pane} ${panes.results}`} aria-label="Result">
      <div className={panes.head}>
        <h2 className="grow">Result</h2>
        <SegmentedControl
          data={choicesOf(VIEWS)}
          value={view}
          onChange={(next) => onSearch({ result: next === 'json' ? next : undefined })}
        />
      </div>
      <div className={`${panes.body} ${panes.scrolls}`} tabIndex={0} role="region" aria-label="Values">
        {problem !== undefined && <p className="bad-text">{problem}</p>}
        {told.map(({ pageId, failure, hint }) => (
          <p key={pageId} className={`small bad-text ${styles.failure}`}>
            {failure === null ? 'Fields are empty on page ' : 'A run over page '}
            {pages.pages.findIndex(({ id }) => id === pageId) + 1}
            {failure !== null && ` would fail: ${failure}`}
            {hint !== null && `. ${hint}`}
          </p>
        ))}
        {outcome === undefined ? (
          <p className={`state soft ${styles.padded}`}>
            {studio.fieldCount === 0
              ? 'Values appear here once there is a field.'
              : page
                ? 'Reading the page …'
                : 'Open a page to see what the fields read from it.'}
          </p>
        ) : view === 'json' ? (
          <pre className={`pre ${styles.padded}`}>
            {JSON.stringify(results.find(({ pageId }) => pageId === page?.id)?.data, null, 2)}
          </pre>
        ) : (
          <ResultTables studio={studio} results={results} />
        )}
      </div>
      {selected.length > 0 && page && outcome !== undefined && (
        <FieldStory studio={studio} page={page} results={results} onFallback={onFallback} />
      )}
    </section>
  );
}
