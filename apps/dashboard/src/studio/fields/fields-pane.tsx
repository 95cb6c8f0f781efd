import { Button, Checkbox, SegmentedControl } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { choicesOf } from '../../parts/choices.ts';
import { QuietButton, tickBox } from '../../parts/forms.tsx';
import { listFields, pathText } from '../schema/draft.ts';
import panes from '../studio.module.css';
import { FromExample } from '../suggest/from-example.tsx';
import { SuggestedFields } from '../suggest/suggested-fields.tsx';
import type { StudioState } from '../use-studio-state.ts';
import { FieldRow } from './field-row.tsx';
import styles from './fields.module.css';

/** All fields; the selected one opens in place. */
function FieldList({ studio }: { studio: StudioState }) {
  const { allow_empty: allowsEmpty = false, ...rest } = studio.draft;
  return (
    <div>
      {listFields(studio.draft.fields).map(({ path, field }) => (
        <FieldRow key={pathText(path)} {...{ studio, path, field }} />
      ))}
      <div className={styles.add}>
        <QuietButton onClick={() => studio.addField('field', { css: '' })}>Field</QuietButton>
      </div>
      <Checkbox
        className={styles.example}
        label="Accept pages on which nothing matches"
        {...tickBox(allowsEmpty, (is) => studio.change(is ? { ...rest, allow_empty: true } : rest))}
      />
    </div>
  );
}

const JsonEditor = lazy(() => import('./json-editor.tsx'));

const VIEWS = { form: 'Form', json: 'JSON' };

/** The fields as a form or as JSON: the same schema, always in step. */
export function FieldsPane({ studio }: { studio: StudioState }) {
  const { page, undo, redo, fieldCount, search, onSearch } = studio;
  const view = search.fields ?? 'form';
  return (
    <section className={`${panes.pane} ${panes.fields}`} aria-label="Fields">
      <div className={panes.head}>
        <h2 className="grow">Fields</h2>
        <Button.Group>
          <Button variant="subtle" color="gray" px={6} disabled={undo === undefined} onClick={undo}>
            Undo
          </Button>
          <Button variant="subtle" color="gray" px={6} disabled={redo === undefined} onClick={redo}>
            Redo
          </Button>
        </Button.Group>
        <SegmentedControl
          data={choicesOf(VIEWS)}
          value={view}
          onChange={(next) => onSearch({ fields: next === 'json' ? next : undefined })}
        />
      </div>
      <div className={`${panes.body} ${panes.scrolls}`}>
        {view === 'json' ? (
          <Suspense fallback={<p className="state inset soft">Opening the editor …</p>}>
            <JsonEditor studio={studio} />
          </Suspense>
        ) : (
          <>
            {page && fieldCount === 0 ? (
              <SuggestedFields studio={studio} page={page} />
            ) : (
              <FieldList studio={studio} />
            )}
            <div className={styles.example}>{page && <FromExample studio={studio} page={page} />}</div>
          </>
        )}
      </div>
    </section>
  );
}
