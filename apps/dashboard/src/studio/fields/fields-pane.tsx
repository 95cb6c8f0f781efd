import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { operationQuery } from '../../api/call.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { setField, fieldsIn, listFields, pathText, type FieldPath } from '../schema/draft.ts';
import { FromExample } from '../suggest/from-example.tsx';
import { SuggestedFields } from '../suggest/suggested-fields.tsx';
import panes from '../studio.module.css';
import { FieldRow, type FieldListProps } from './field-row.tsx';
import styles from './fields.module.css';
import { IconPlus } from '../../parts/icons.ts';
import { dropField } from '../schema/edits.ts';
import { freeName } from '../schema/names.ts';

/** All fields; the selected one opens in place. */
function FieldList(props: FieldListProps) {
  const { draft, change, select } = props;
  const [dragged, setDragged] = useState<FieldPath | undefined>();
  const add = (parent: FieldPath): void => {
    const name = freeName('field', Object.keys(fieldsIn(draft, parent)));
    change(setField(draft, [...parent, name], { css: '' }));
    select([...parent, name]);
  };
  return (
    <div>
      {listFields(draft.fields).map(({ path, field }) => (
        <FieldRow
          key={pathText(path)}
          {...props}
          path={path}
          field={field}
          onColumn={() => add(path)}
          dragging={{
            draggable: true,
            onDragStart: () => setDragged(path),
            onDragOver: (event) => event.preventDefault(),
            onDrop: (event) => {
              event.preventDefault();
              if (dragged) change(dropField(draft, dragged, path));
              setDragged(undefined);
            },
          }}
        />
      ))}
      <div className={styles.add}>
        <Button variant="subtle" color="gray" leftSection={<IconPlus size={13} />} onClick={() => add([])}>
          Field
        </Button>
      </div>
    </div>
  );
}

const JsonEditor = lazy(() => import('./json-editor.tsx'));

interface FieldsPaneProps extends FieldListProps {
  /** Absent when there is nothing to undo or redo. */
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
  view: 'form' | 'json';
  onView: (view: 'form' | 'json') => void;
  /** The page that is shown. */
  page: KeptPage | undefined;
}

/** The fields as a form or as JSON: the same schema, always in step. */
export function FieldsPane({ undo, redo, view, onView, page, ...list }: FieldsPaneProps) {
  const language = useQuery({ ...operationQuery('getParserLanguage', {}), staleTime: Infinity });
  const { draft, change, faults, select } = list;
  const example = page && (
    <FromExample
      page={page}
      taken={Object.keys(draft.fields)}
      onField={(name, field) => {
        change(setField(draft, [name], field));
        select([name]);
      }}
    />
  );
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
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          onChange={(value) => onView(value === 'json' ? 'json' : 'form')}
        />
      </div>
      <div className={`${panes.body} ${panes.scrolls}`}>
        {view === 'json' ? (
          <Suspense fallback={<p className="state inset soft">Opening the editor …</p>}>
            <JsonEditor draft={draft} change={change} faults={faults} language={language.data} />
          </Suspense>
        ) : (
          <>
            {page && Object.keys(draft.fields).length === 0 ? (
              <SuggestedFields page={page} onTake={change} />
            ) : (
              <FieldList {...list} />
            )}
            <div className={styles.example}>{example}</div>
          </>
        )}
      </div>
    </section>
  );
}
