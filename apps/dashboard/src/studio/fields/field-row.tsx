import { Button, TextInput, Tooltip } from '@mantine/core';
import type { FieldObject } from '@gleaner/contracts';
import { useState, type CSSProperties, type KeyboardEvent } from 'react';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../parts/icons.ts';
import { RowMenu } from '../../parts/row-menu.tsx';
import { QuietButton, textInput } from '../../parts/forms.tsx';
import type { SchemaFault } from '../extraction/protocol.ts';
import {
  isList,
  pathText,
  readPath,
  removeField,
  renameField,
  setField,
  type FieldPath,
} from '../schema/draft.ts';
import { dropField, faultsOf, fieldNameError, shiftField, describeFault } from '../schema/edits.ts';
import { fillOf } from '../schema/fill.ts';
import { readSources, hasPlainSources, sourceAt, writeSources, type SourceText } from '../schema/sources.ts';
import styles from './fields.module.css';
import { FieldOptions } from './field-options.tsx';
import { SourceRow } from './source-row.tsx';
import { useTyped } from './use-typed.ts';
import type { StudioState } from '../use-studio-state.ts';

interface FieldProps {
  studio: StudioState;
  path: FieldPath;
}

function textOf(sources: readonly SourceText[]): string {
  return JSON.stringify(writeSources({}, sources));
}

interface FieldFormProps extends FieldProps {
  field: FieldObject;
  faults: readonly SchemaFault[];
}

/** One field: where its value comes from and what becomes of it. */
function FieldForm({ studio: { draft, change, show }, path, field, faults }: FieldFormProps) {
  const [sources, setSources] = useTyped(readSources(field), textOf);
  const set = (next: FieldObject): void => change(setField(draft, path, next));
  const changeSources = (next: SourceText[]): void => {
    setSources(next);
    set(writeSources(field, next));
  };
  const within = path.map((name) => `fields.${name}`).join('.').length + 1;
  /** Faults that are in no source stand at the last one, above the options. */
  const shownAt = (fault: SchemaFault): number =>
    Math.min(sourceAt(field, fault.path.slice(within)) ?? Infinity, sources.length - 1);
  if (!hasPlainSources(field)) {
    return (
      <p className="small soft">This field has fallbacks with settings of their own: edit it as JSON.</p>
    );
  }
  return (
    <div className={styles.form}>
      {sources.map((source, index) => (
        <SourceRow
          // A source's only identity is its index.
          key={index}
          source={source}
          isFallback={index > 0}
          error={describeFault(faults.filter((fault) => shownAt(fault) === index))}
          onChange={(next) => changeSources(sources.with(index, next))}
          onRemove={sources.length > 1 ? () => changeSources(sources.toSpliced(index, 1)) : undefined}
          onTried={(isTried) => show({ tried: isTried ? index : undefined })}
        />
      ))}
      <div>
        <Tooltip label="Tried when the sources above give no value">
          <QuietButton onClick={() => setSources([...sources, { kind: 'css', text: '' }])}>
            Fallback
          </QuietButton>
        </Tooltip>
      </div>
      <FieldOptions field={field} onChange={set} />
    </div>
  );
}

function NameInput({ path, studio: { draft, change, select } }: FieldProps) {
  const name = path.at(-1) ?? '';
  const [text, setText] = useState(name);
  const error = fieldNameError(draft, path, text);
  const commit = (): void => {
    if (error !== undefined || text === name) return;
    change(renameField(draft, path, text));
    select([...path.slice(0, -1), text]);
  };
  return (
    <TextInput
      label="Name"
      error={error}
      {...textInput(text, setText)}
      onBlur={commit}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && commit()}
    />
  );
}

/** What a dragged field is, for the row on which it is dropped. */
const DRAGGED = 'application/x-gleaner-field';

/** One field: a line, with its form below while it is selected. */
export function FieldRow({ studio, path, field }: FieldProps & { field: FieldObject }) {
  const { draft, change, selected, select, outcome } = studio;
  const key = pathText(path);
  const isSelected = key === pathText(selected);
  const [source] = readSources(field);
  const fill = fillOf(outcome?.pages ?? [], path);
  const faults = faultsOf(studio.faults, path);
  const isBad = faults.length > 0 || fill?.filled === 0;
  return (
    <section
      className={isSelected ? `${styles.field} ${styles.open}` : styles.field}
      aria-label={`Field ${key}`}
    >
      <div
        className={styles.line}
        style={{ '--depth': path.length - 1 } as CSSProperties}
        draggable
        onDragStart={({ dataTransfer }) => dataTransfer.setData(DRAGGED, key)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const dragged = readPath(event.dataTransfer.getData(DRAGGED));
          if (dragged.length > 0) change(dropField(draft, dragged, path));
        }}
      >
        <button
          type="button"
          className={styles.name}
          aria-expanded={isSelected}
          onClick={() => select(isSelected ? [] : path)}
        >
          <strong>
            {path.at(-1)}
            {field.take === 'all' && '[]'}
          </strong>
          <code className="soft truncate">{source?.text}</code>
        </button>
        <span className={isBad ? 'small bad-text' : 'small soft'}>
          {faults.length > 0 ? 'fault' : fill ? `${fill.filled}/${fill.total}` : ''}
        </span>
        <RowMenu
          name={key}
          actions={[
            { label: 'Move up', icon: IconArrowUp, onClick: () => change(shiftField(draft, path, -1)) },
            { label: 'Move down', icon: IconArrowDown, onClick: () => change(shiftField(draft, path, 1)) },
            {
              label: 'Remove',
              icon: IconTrash,
              onClick: () => {
                change(removeField(draft, path));
                select([]);
              },
            },
          ]}
        />
      </div>
      {isSelected && (
        <div className={styles.body}>
          <NameInput key={key} studio={studio} path={path} />
          <FieldForm {...{ studio, path, field, faults }} />
          {isList(field) && (
            <Button
              variant="default"
              leftSection={<IconPlus size={13} />}
              onClick={() => studio.addField('field', { css: '' }, path)}
            >
              Column
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
