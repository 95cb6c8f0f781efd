import { Button } from '@mantine/core';
import { useState } from 'react';
import { IconPlus } from '../../parts/icons.ts';
import { fieldsIn, listFields, pathText, setField, type FieldPath } from '../schema/draft.ts';
import { dropField } from '../schema/edits.ts';
import { freeName } from '../schema/names.ts';
import { FieldRow, type FieldListProps } from './field-row.tsx';
import styles from './fields.module.css';

/** All fields; the selected one opens in place. */
export function FieldList(props: FieldListProps) {
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
