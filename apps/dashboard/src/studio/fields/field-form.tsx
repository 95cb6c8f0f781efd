import { ActionIcon, Button, Checkbox, Select, TextInput, Tooltip } from '@mantine/core';
import type { FieldObject, FieldType, PageFact, SourceKind, Take } from '@gleaner/contracts';
import { SOURCE_KINDS } from '@gleaner/contracts/values';
import { useEffect, useState } from 'react';
import { choicesOf } from '../../parts/choices.ts';
import { IconPlus, IconX } from '../../parts/icons.ts';
import type { SchemaFault } from '../extraction/protocol.ts';
import { hasPlainSources, readSources, SOURCES, writeSources, type SourceText } from '../schema/sources.ts';
import { TransformSteps } from './transform-steps.tsx';

const TYPES = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  date: 'date',
  datetime: 'date and time',
  url: 'address (absolute)',
  html: 'HTML',
  text: 'text with line breaks',
  markdown: 'Markdown',
  json: 'JSON',
  table: 'table',
} satisfies Record<FieldType, string>;

const TAKES = {
  first: 'the first',
  all: 'all, as a list',
  count: 'how many',
  exists: 'whether any',
} satisfies Record<Take, string>;

const FACTS = {
  url: 'Address asked for',
  final_url: 'Address after redirects',
  status: 'HTTP status',
  fetched_at: 'Time of the fetch',
  title: 'Title',
  language: 'Language',
  text: 'Text of the page',
  markdown: 'Main content as Markdown',
  html: 'HTML of the page',
  links: 'Links',
  screenshot: 'Screenshot (browser)',
  pdf: 'PDF (browser)',
} satisfies Record<PageFact, string>;

/** What holds the JSON that a path reads. */
const WITHIN: { [K in SourceKind]?: { label: string; hint: string } } = {
  json: { label: 'Script that holds the data', hint: 'script#__NEXT_DATA__' },
  xhr: { label: 'Address of the response', hint: '/api/products?*' },
};

const SOURCE_CHOICES = SOURCE_KINDS.map((value) => ({ value, label: SOURCES[value].label }));

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

/** The text stays, except that facts of the page are chosen from a list. */
function withKind(source: SourceText, kind: SourceKind): SourceText {
  if (kind === 'page') return { kind, text: 'url' };
  return { kind, text: source.kind === 'page' ? '' : source.text };
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
  const { kind } = source;
  const within = WITHIN[kind];
  const label = isFallback ? 'Fallback' : 'Source';
  return (
    <div className="row" style={{ gap: 4, alignItems: 'flex-start' }}>
      <Select
        aria-label={isFallback ? 'Kind of fallback' : 'Kind of source'}
        data={SOURCE_CHOICES}
        value={kind}
        allowDeselect={false}
        w={118}
        comboboxProps={{ width: 160 }}
        onChange={(chosen) => onChange(withKind(source, chosen ?? 'css'))}
      />
      <div className="grow stack" style={{ gap: 4 }}>
        {within && (
          <TextInput
            aria-label={within.label}
            placeholder={within.hint}
            classNames={{ input: 'mono' }}
            value={source.within ?? ''}
            onChange={(event) => onChange({ ...source, within: event.currentTarget.value })}
          />
        )}
        {kind === 'page' ? (
          <Select
            aria-label={label}
            data={choicesOf(FACTS)}
            value={source.text}
            allowDeselect={false}
            error={error}
            onChange={(fact) => onChange({ ...source, text: fact ?? 'url' })}
          />
        ) : (
          <TextInput
            aria-label={label}
            placeholder={SOURCES[kind].hint}
            classNames={{ input: 'mono' }}
            value={source.text}
            error={error}
            onChange={(event) => onChange({ ...source, text: event.currentTarget.value })}
            onFocus={() => kind === 'css' && onPreview(source.text)}
            onBlur={() => onPreview(undefined)}
          />
        )}
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
          data={choicesOf(TAKES)}
          value={field.take ?? 'first'}
          allowDeselect={false}
          className="grow"
          onChange={(take) => onChange(without(field, 'take', take === 'first' ? undefined : take))}
        />
        {!isGroup && (
          <Select
            label="as"
            data={choicesOf(TYPES)}
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
