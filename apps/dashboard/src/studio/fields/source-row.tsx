import { ActionIcon, TextInput } from '@mantine/core';
import type { PageFact, SourceKind } from '@gleaner/contracts';
import { Choice, textInput } from '../../parts/forms.tsx';
import { IconX } from '../../parts/icons.ts';
import { SOURCES, type SourceText } from '../schema/sources.ts';
import styles from './fields.module.css';

const FACTS = {
  url: 'Address asked for',
  final_url: 'Address after redirects',
  status: 'HTTP status',
  fetched_at: 'Time of the fetch',
  title: 'Title',
  headline: 'Headline',
  language: 'Language',
  text: 'Text of the page',
  markdown: 'Main content as Markdown',
  main_html: 'Main content as HTML',
  html: 'HTML of the page',
  links: 'Links',
  responses: 'JSON that it loaded (browser)',
  json: 'JSON of the page itself',
  pages: 'Number of pages of a PDF',
  published: 'Date of publication',
  modified: 'Date of the last change',
  author: 'Author',
  description: 'Description',
  image: 'Picture of the page',
  screenshot: 'Screenshot (browser)',
  pdf: 'PDF (browser)',
} satisfies Record<PageFact, string>;

/** What holds the JSON that a path reads. */
const WITHIN: { [K in SourceKind]?: { label: string; hint: string } } = {
  json: { label: 'Script that holds the data', hint: 'script#__NEXT_DATA__' },
  xhr: { label: 'Address of the response', hint: '/api/products?*' },
};

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
  /** The source is edited, or no longer. */
  onTried: (isTried: boolean) => void;
}

/** Where a value comes from: the kind of source and its text. */
export function SourceRow({ source, isFallback, error, onChange, onRemove, onTried }: SourceRowProps) {
  const { kind } = source;
  const within = WITHIN[kind];
  const label = isFallback ? 'Fallback' : 'Source';
  return (
    <div className={`row ${styles.source}`}>
      <Choice
        aria-label={isFallback ? 'Kind of fallback' : 'Kind of source'}
        words={SOURCES}
        value={kind}
        w={118}
        comboboxProps={{ width: 160 }}
        onChange={(chosen) => onChange(withKind(source, chosen))}
      />
      <div className={`grow stack ${styles.tight}`}>
        {within && (
          <TextInput
            aria-label={within.label}
            placeholder={within.hint}
            classNames={{ input: 'mono' }}
            {...textInput(source.within ?? '', (text) => onChange({ ...source, within: text }))}
          />
        )}
        {kind === 'page' ? (
          <Choice
            aria-label={label}
            words={FACTS}
            // The engine's check reports facts that don't exist.
            value={source.text as PageFact}
            error={error}
            onChange={(text) => onChange({ ...source, text })}
          />
        ) : (
          <TextInput
            aria-label={label}
            placeholder={SOURCES[kind].hint}
            classNames={{ input: 'mono' }}
            error={error}
            {...textInput(source.text, (text) => onChange({ ...source, text }))}
            onFocus={() => onTried(true)}
            onBlur={() => onTried(false)}
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
