import { Button, Tooltip } from '@mantine/core';
import type { FieldObject } from '@gleaner/contracts';
import { useEffect, useState } from 'react';
import { IconPlus } from '../../parts/icons.ts';
import type { SchemaFault } from '../extraction/protocol.ts';
import { describeFault } from '../schema/edits.ts';
import { hasPlainSources, readSources, writeSources, type SourceText } from '../schema/sources.ts';
import { FieldOptions } from './field-options.tsx';
import styles from './fields.module.css';
import { SourceRow } from './source-row.tsx';

interface FieldFormProps {
  field: FieldObject;
  faults: readonly SchemaFault[];
  onChange: (field: FieldObject) => void;
  onPreview: (selector: string | undefined) => void;
}

/** The sources as they are typed: the text stays unchanged, even while it is not a complete source yet. */
function useSources(field: FieldObject) {
  const [sources, setSources] = useState(() => readSources(field));
  useEffect(() => {
    setSources((known) => {
      const same =
        JSON.stringify(writeSources({}, known)) === JSON.stringify(writeSources({}, readSources(field)));
      return same ? known : readSources(field);
    });
  }, [field]);
  return [sources, setSources] as const;
}

/** One field: where its value comes from and what becomes of it. */
export function FieldForm({ field, faults, onChange, onPreview }: FieldFormProps) {
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
          onPreview={onPreview}
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
