import { Button, TextInput, Tooltip } from '@mantine/core';
import type { FieldObject } from '@gleaner/contracts';
import { useState, type CSSProperties, type HTMLAttributes, type KeyboardEvent } from 'react';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../parts/icons.ts';
import { RowMenu } from '../../parts/row-menu.tsx';
import type { PageResult, SchemaFault } from '../extraction/protocol.ts';
import {
  isList,
  pathText,
  removeField,
  renameField,
  setField,
  type Draft,
  type FieldPath,
} from '../schema/draft.ts';
import { faultsOf, fieldNameError, shiftField, describeFault } from '../schema/edits.ts';
import { fillOf } from '../schema/fill.ts';
import { readSources, hasPlainSources, writeSources, type SourceText } from '../schema/sources.ts';
import styles from './fields.module.css';
import { FieldOptions } from './field-options.tsx';
import { SourceRow } from './source-row.tsx';

interface FieldFormProps {
  field: FieldObject;
  faults: readonly SchemaFault[];
  onChange: (field: FieldObject) => void;
  /** The source that is edited: the page shows what it alone finds. */
  onTried: (index: number | undefined) => void;
}

function textOf(sources: readonly SourceText[]): string {
  return JSON.stringify(writeSources({}, sources));
}

/**
 * The sources as they are typed: the text stays unchanged, even while it is not a complete source yet. A field that something
 * else changed replaces them in the same render; an effect would come between two keys and take the later one back.
 */
function useSources(field: FieldObject) {
  const given = readSources(field);
  const text = textOf(given);
  const [typed, setTyped] = useState({ text, sources: given });
  let { sources } = typed;
  if (typed.text !== text) {
    if (textOf(sources) !== text) sources = given;
    setTyped({ text, sources });
  }
  const setSources = (next: SourceText[]): void => setTyped((known) => ({ ...known, sources: next }));
  return [sources, setSources] as const;
}

/** One field: where its value comes from and what becomes of it. */
function FieldForm({ field, faults, onChange, onTried }: FieldFormProps) {
  const [sources, setSources] = useSources(field);
  const changeSources = (next: SourceText[]): void => {
    setSources(next);
    onChange(writeSources(field, next));
  };
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
          error={index === sources.length - 1 ? describeFault(faults) : undefined}
          onChange={(next) => changeSources(sources.with(index, next))}
          onRemove={sources.length > 1 ? () => changeSources(sources.toSpliced(index, 1)) : undefined}
          onFocus={() => onTried(index)}
          onBlur={() => onTried(undefined)}
        />
      ))}
      <div>
        <Tooltip label="Tried when the sources above give no value">
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconPlus size={13} />}
            onClick={() => setSources([...sources, { kind: 'css', text: '' }])}
          >
            Fallback
          </Button>
        </Tooltip>
      </div>
      <FieldOptions field={field} onChange={onChange} />
    </div>
  );
}

export interface FieldListProps {
  draft: Draft;
  change: (next: Draft) => void;
  selected: FieldPath;
  select: (path: FieldPath) => void;
  faults: readonly SchemaFault[];
  pages: readonly PageResult[];
  /** The source that is edited: the page shows what it alone finds. */
  onTried: (index: number | undefined) => void;
}

type Editing = Pick<FieldListProps, 'draft' | 'change' | 'select'> & { path: FieldPath };

function NameInput({ path, draft, change, select }: Editing) {
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
      value={text}
      error={error}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && commit()}
    />
  );
}

function FieldMenu({ path, draft, change, select }: Editing) {
  return (
    <RowMenu
      name={pathText(path)}
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
  );
}

interface FieldRowProps extends FieldListProps {
  path: FieldPath;
  field: FieldObject;
  /** Adds a column to the field's list. */
  onColumn: () => void;
  /** What makes the line one that can be dragged to another position. */
  dragging: Pick<HTMLAttributes<HTMLElement>, 'draggable' | 'onDragStart' | 'onDragOver' | 'onDrop'>;
}

/** One field: a line, with its form below while it is selected. */
export function FieldRow(props: FieldRowProps) {
  const { path, field, draft, change, selected, select } = props;
  const key = pathText(path);
  const isSelected = key === pathText(selected);
  const [source] = readSources(field);
  const fill = fillOf(props.pages, path);
  const faults = faultsOf(props.faults, path);
  const isBad = faults.length > 0 || fill?.filled === 0;
  const editing = { path, draft, change, select };
  return (
    <section
      className={isSelected ? `${styles.field} ${styles.open}` : styles.field}
      aria-label={`Field ${key}`}
    >
      <div
        className={styles.line}
        style={{ '--depth': path.length - 1 } as CSSProperties}
        {...props.dragging}
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
        <FieldMenu {...editing} />
      </div>
      {isSelected && (
        <div className={styles.body}>
          <NameInput key={key} {...editing} />
          <FieldForm
            field={field}
            faults={faults}
            onChange={(next) => change(setField(draft, path, next))}
            onTried={props.onTried}
          />
          {isList(field) && (
            <Button variant="default" leftSection={<IconPlus size={13} />} onClick={props.onColumn}>
              Column
            </Button>
          )}
        </div>
      )}
    </section>
  );
}
