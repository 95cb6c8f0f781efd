import { ActionIcon, Button, Menu, TextInput } from '@mantine/core';
import { useState, type DragEvent, type KeyboardEvent } from 'react';
import { IconArrowDown, IconArrowUp, IconDotsVertical, IconPlus, IconTrash } from '../../parts/icons.ts';
import type { PageResult, SchemaFault } from '../extraction/protocol.ts';
import {
  fieldAt,
  fieldsIn,
  isList,
  listFields,
  moveField,
  pathText,
  removeField,
  renameField,
  setField,
  type Draft,
  type FieldPath,
} from '../schema/draft.ts';
import { FieldForm } from './field-form.tsx';
import { readSources } from '../schema/sources.ts';
import { freeName } from '../schema/names.ts';
import { fillOf } from '../schema/fill.ts';

const FIELD_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export interface FieldListProps {
  draft: Draft;
  change: (next: Draft) => void;
  selected: FieldPath;
  select: (path: FieldPath) => void;
  faults: readonly SchemaFault[];
  pages: readonly PageResult[];
  onPreview: (selector: string | undefined) => void;
}

/** `fields.items.fields.price.css[0]` belongs to `items.price`. */
function faultsOf(faults: readonly SchemaFault[], path: FieldPath): SchemaFault[] {
  const prefix = path.map((name) => `fields.${name}`).join('.');
  return faults.filter(
    ({ path: at }) => at === prefix || at.startsWith(`${prefix}.`) || at.startsWith(`${prefix}[`),
  );
}

function NameInput({
  path,
  draft,
  change,
  select,
}: Pick<FieldListProps, 'draft' | 'change' | 'select'> & { path: FieldPath }) {
  const name = path.at(-1) ?? '';
  const [text, setText] = useState(name);
  const siblings = Object.keys(fieldsIn(draft, path.slice(0, -1)));
  const isTaken = text !== name && siblings.includes(text);
  const error = isTaken
    ? 'another field has this name'
    : FIELD_NAME.test(text)
      ? undefined
      : 'small letters, digits and _, not a digit first';
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

/** All fields; the selected one opens in place. */
export function FieldList({ draft, change, selected, select, faults, pages, onPreview }: FieldListProps) {
  const [dragged, setDragged] = useState<FieldPath | undefined>();
  const add = (parent: FieldPath): void => {
    const name = freeName('field', Object.keys(fieldsIn(draft, parent)));
    change(setField(draft, [...parent, name], { css: '' }));
    select([...parent, name]);
  };
  const shift = (path: FieldPath, step: number): void => {
    const names = Object.keys(fieldsIn(draft, path.slice(0, -1)));
    const at = names.indexOf(path.at(-1) ?? '');
    // Moving down inserts the field before the field after the next.
    change(moveField(draft, path, names[step < 0 ? at - 1 : at + 2]));
  };
  const onDrop = (event: DragEvent, path: FieldPath): void => {
    event.preventDefault();
    const isSameLevel = dragged && pathText(dragged.slice(0, -1)) === pathText(path.slice(0, -1));
    if (dragged && isSameLevel) change(moveField(draft, dragged, path.at(-1)));
    setDragged(undefined);
  };
  return (
    <div className="field-list">
      {listFields(draft.fields).map(({ path, field }) => {
        const key = pathText(path);
        const isSelected = key === pathText(selected);
        const [source] = readSources(field);
        const fill = fillOf(pages, path);
        const isFaulty = faultsOf(faults, path).length > 0;
        return (
          <section key={key} className={isSelected ? 'field open' : 'field'} aria-label={`Field ${key}`}>
            <div
              className="field-line"
              style={{ paddingLeft: 10 + (path.length - 1) * 16 }}
              draggable
              onDragStart={() => setDragged(path)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => onDrop(event, path)}
            >
              <button
                type="button"
                className="field-name"
                aria-expanded={isSelected}
                onClick={() => select(isSelected ? [] : path)}
              >
                <strong>
                  {path.at(-1)}
                  {field.take === 'all' && '[]'}
                </strong>
                <code className="soft truncate">{source?.text}</code>
              </button>
              <span className={`small ${isFaulty || (fill && fill.filled === 0) ? 'bad-text' : 'soft'}`}>
                {isFaulty ? 'fault' : fill ? `${fill.filled}/${fill.total}` : ''}
              </span>
              <Menu>
                <Menu.Target>
                  <ActionIcon aria-label={`More for ${key}`} size={22}>
                    <IconDotsVertical size={14} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item leftSection={<IconArrowUp size={14} />} onClick={() => shift(path, -1)}>
                    Move up
                  </Menu.Item>
                  <Menu.Item leftSection={<IconArrowDown size={14} />} onClick={() => shift(path, 1)}>
                    Move down
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<IconTrash size={14} />}
                    onClick={() => {
                      change(removeField(draft, path));
                      select([]);
                    }}
                  >
                    Remove
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </div>
            {isSelected && (
              <div className="field-body">
                <NameInput key={key} path={path} draft={draft} change={change} select={select} />
                <FieldForm
                  field={field}
                  faults={faultsOf(faults, path)}
                  onChange={(next) => change(setField(draft, path, next))}
                  onPreview={onPreview}
                />
                {isList(fieldAt(draft, path)) && (
                  <Button variant="default" leftSection={<IconPlus size={13} />} onClick={() => add(path)}>
                    Column
                  </Button>
                )}
              </div>
            )}
          </section>
        );
      })}
      <div style={{ padding: 8 }}>
        <Button variant="subtle" color="gray" leftSection={<IconPlus size={13} />} onClick={() => add([])}>
          Field
        </Button>
      </div>
    </div>
  );
}
