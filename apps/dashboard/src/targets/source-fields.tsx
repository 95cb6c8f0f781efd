import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { InputSource } from '@gleaner/contracts/values';
import { Choice, textInput, tickBox } from '../parts/forms.tsx';
import type { SourceChoice } from './source.ts';

const WORDS = {
  list: 'a list of addresses',
  sitemap: 'a sitemap',
  feed: 'a feed',
} as const satisfies Record<SourceChoice['from'], string>;

const EXAMPLES = {
  sitemap: 'https://shop.example/sitemap.xml',
  feed: 'https://news.example/rss',
} as const satisfies Record<InputSource, string>;

interface SourceFieldsProps {
  value: SourceChoice;
  onChange: (value: SourceChoice) => void;
  /** A cron may take only what is new. */
  isCron?: boolean;
  /** The field of the list. */
  children: ReactNode;
}

/** Where the pages of a run come from: a list, a sitemap or a feed. */
export function SourceFields({ value, onChange, isCron = false, children }: SourceFieldsProps) {
  const { from } = value;
  return (
    <>
      <Choice
        label="Pages from"
        words={WORDS}
        value={from}
        onChange={(chosen) => onChange({ ...value, from: chosen })}
        w={220}
      />
      {from === 'list' ? (
        children
      ) : (
        <TextInput
          label={`Address of the ${from}`}
          description="It is read first, for free. When a part of it can’t be read, the run fails and fetches nothing."
          placeholder={EXAMPLES[from]}
          {...textInput(value.url, (url) => onChange({ ...value, url }))}
        />
      )}
      {from !== 'list' && isCron && (
        <Checkbox
          label="Only what no earlier run has taken, or that has a later date since"
          {...tickBox(value.isNewOnly, (isNewOnly) => onChange({ ...value, isNewOnly }))}
        />
      )}
    </>
  );
}
