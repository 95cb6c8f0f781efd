import { ActionIcon, Button, Checkbox, Select, TextInput, Tooltip } from '@mantine/core';
import type { FieldObject, FieldType, Take } from '@gleaner/contracts';
import { useEffect, useState } from 'react';
import { IconPlus, IconX } from '../../parts/icons.ts';
import type { SchemaFault } from '../extraction/protocol.ts';
import {
  hasPlainSources,
  readSources,
  SOURCE_CHOICES,
  writeSources,
  type SourceText,
} from '../schema/sources.ts';
import { TransformSteps } from './transform-steps.tsx';

const TYPES: { value: FieldType; label: string }[] = [
  { value: 'string', label: 'text' },
  { value: 'number', label: 'number' },
  { value: 'integer', label: 'whole number' },
  { value: 'boolean', label: 'yes or no' },
  { value: 'date', label: 'date' },
  { value: 'datetime', label: 'date and time' },
  { value: 'url', label: 'address (absolute)' },
  { value: 'html', label: 'HTML' },
  { value: 'json', label: 'JSON' },
  { value: 'table', label: 'table' },
];
const TAKES: { value: Take; label: string }[] = [
  { value: 'first', label: 'the first' },
  { value: 'all', label: 'all, as a list' },
  { value: 'count', label: 'how many' },
  { value: 'exists', label: 'whether any' },
];

interface FieldFormProps {
  field: FieldObject;
  faults: readonly SchemaFault[];
  onChange: (field: FieldObject) => void;
  onPreview: (selector: string | undefined) => void;
}

/** Leaves out default values, so that the JSON stays short. */
function without(field: FieldObject, key: keyof FieldObject, value: unknown): FieldObject {
  const { [key]: _dropped, ...rest } = field;
  return value === undefined ? rest : { ...rest, [key]: value };
}

interface SourceRowProps {
  source: SourceText;
  isFallback: boolean;
  error: string | undefined;
  onChange: (source: SourceText) => void;
  onRemove: (() => void) | undefined;
  onPreview: FieldFormProps['onPreview'];
}

function SourceRow({ source, isFallback, error, onChange, onRemove, onPreview }: SourceRowProps) {
  const choice = SOURCE_CHOICES.find(({ value }) => value === source.kind);
  return (
    <div className="row" style={{ gap: 4, alignItems: 'flex-start' }}>
      <Select
        aria-label={isFallback ? 'Kind of fallback' : 'Kind of source'}
        data={SOURCE_CHOICES.map(({ value, label }) => ({ value, label }))}
        value={source.kind}
        allowDeselect={false}
        w={118}
        comboboxProps={{ width: 160 }}
        onChange={(kind) => onChange({ ...source, kind: kind ?? 'css' })}
      />
      <div className="grow stack" style={{ gap: 4 }}>
        {source.kind === 'json' && (
          <TextInput
            aria-label="Script that holds the data"
            placeholder="script#__NEXT_DATA__"
            classNames={{ input: 'mono' }}
            value={source.script ?? ''}
            onChange={(event) => onChange({ ...source, script: event.currentTarget.value })}
          />
        )}
        <TextInput
          aria-label={isFallback ? 'Fallback' : 'Source'}
          placeholder={choice?.hint}
          classNames={{ input: 'mono' }}
          value={source.text}
          error={error}
          onChange={(event) => onChange({ ...source, text: event.currentTarget.value })}
          onFocus={() => source.kind === 'css' && onPreview(source.text)}
          onBlur={() => onPreview(undefined)}
        />
      </div>
      {onRemove && (
        <ActionIcon aria-label="Remove this source" onClick={onRemove} size={30}>
          <IconX size={14} />
        </ActionIcon>
      )}
    </div>
  );
}

/** One field: where its value comes from and what becomes of it. */
export function FieldForm({ field, faults, onChange, onPreview }: FieldFormProps) {
  const isGroup = field.fields !== undefined;
  // The typed text stays unchanged, even while it is not a complete source yet.
  const [sources, setSources] = useState(() => readSources(field));
  useEffect(() => {
    setSources((known) => {
      const same =
        JSON.stringify(writeSources({}, known)) === JSON.stringify(writeSources({}, readSources(field)));
      return same ? known : readSources(field);
    });
  }, [field]);
  const changeSources = (next: SourceText[]): void => {
    setSources(next);
    onChange(writeSources(field, next));
  };
  const firstFault = faults[0];
  const fault =
    firstFault &&
    `${firstFault.reason}${firstFault.column === undefined ? '' : ` (column ${firstFault.column})`}`;
  if (!hasPlainSources(field)) {
    return (
      <p className="small soft">This field has fallbacks with settings of their own: edit it as JSON.</p>
    );
  }
  return (
    <div className="field-form">
      {sources.map((source, index) => (
        <SourceRow
          // A source's only identity is its index.
          key={index}
          source={source}
          isFallback={index > 0}
          error={index === sources.length - 1 ? fault : undefined}
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
      <div className="row" style={{ alignItems: 'flex-end' }}>
        <Select
          label="Take"
          data={TAKES}
          value={field.take ?? 'first'}
          allowDeselect={false}
          className="grow"
          onChange={(take) => onChange(without(field, 'take', take === 'first' ? undefined : take))}
        />
        {!isGroup && (
          <Select
            label="as"
            data={TYPES}
            value={field.type ?? 'string'}
            allowDeselect={false}
            className="grow"
            onChange={(type) => onChange(without(field, 'type', type === 'string' ? undefined : type))}
          />
        )}
      </div>
      {!isGroup && (
        <TransformSteps
          steps={field.transform ?? []}
          onChange={(steps) => onChange(without(field, 'transform', steps.length === 0 ? undefined : steps))}
        />
      )}
      <div className="row wrap" style={{ gap: 16 }}>
        <Checkbox
          label="Required"
          checked={field.required === true}
          onChange={(event) =>
            onChange(without(field, 'required', event.currentTarget.checked ? true : undefined))
          }
        />
        {!isGroup && (
          <Checkbox
            label="Identifies the row"
            checked={field.key === true}
            onChange={(event) =>
              onChange(without(field, 'key', event.currentTarget.checked ? true : undefined))
            }
          />
        )}
      </div>
    </div>
  );
}
