import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { operationQuery } from '../../api/queries.ts';
import { FieldList, type FieldListProps } from './field-list.tsx';

const JsonEditor = lazy(() => import('./json-editor.tsx'));

interface FieldsPaneProps extends FieldListProps {
  /** Absent when there is nothing to take back. */
  undo: (() => void) | undefined;
  view: 'form' | 'json';
  onView: (view: 'form' | 'json') => void;
}

/** The fields as a form or as JSON: the same schema, always in step. */
export function FieldsPane({ undo, view, onView, ...list }: FieldsPaneProps) {
  const language = useQuery({ ...operationQuery('getParserLanguage', {}), staleTime: Infinity });
  const { draft, change, faults } = list;
  return (
    <section className="studio-pane fields" aria-label="Fields">
      <div className="pane-head">
        <h2 className="grow">Fields</h2>
        <Button variant="subtle" color="gray" disabled={undo === undefined} onClick={undo}>
          Undo
        </Button>
        <SegmentedControl
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          onChange={(value) => onView(value === 'json' ? 'json' : 'form')}
        />
      </div>
      <div className="pane-body scrolls">
        {view === 'json' ? (
          <Suspense fallback={<p className="state inset soft">Opening the editor …</p>}>
            <JsonEditor draft={draft} change={change} faults={faults} language={language.data} />
          </Suspense>
        ) : Object.keys(draft.fields).length === 0 ? (
          <div className="state inset" style={{ padding: 12 }}>
            <h2>Click in the page</h2>
            <p>Each click on a value makes a field. Click two similar ones to read a whole list.</p>
          </div>
        ) : (
          <FieldList {...list} />
        )}
      </div>
    </section>
  );
}
