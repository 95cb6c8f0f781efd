import { ActionIcon, SegmentedControl, Select } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../parts/buttons.tsx';
import { choicesOf } from '../../parts/choices.ts';
import { IconPalette, IconTestPipe, IconTrash } from '../../parts/icons.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { isFetched, shortUrl } from '../../format/format.ts';
import type { PageSide } from '../search.ts';
import panes from '../studio.module.css';
import type { StudioState } from '../use-studio-state.ts';
import type { PagesState } from '../use-studio.ts';

const SIDES = { page: 'Page', data: 'Page data', fetch: 'Fetch' } satisfies Record<PageSide, string>;

interface PageToolsProps {
  studio: StudioState;
  /** The page that is shown. */
  page: KeptPage;
  side: PageSide;
  onSide: (side: PageSide) => void;
  isDressed: boolean;
  onDressed: (isDressed: boolean) => void;
}

/** Removes the page, once the person knows what is lost. */
function RemovePage({ pages, page }: { pages: PagesState; page: KeptPage }) {
  const [isAsked, setAsked] = useState(false);
  const isSample = page.sampleId !== undefined;
  const isFree = !isSample && !isFetched(page.url);
  return (
    <>
      <ActionIcon
        aria-label="Remove this page"
        onClick={() => (isFree ? void pages.remove(page) : setAsked(true))}
      >
        <IconTrash size={15} />
      </ActionIcon>
      {isAsked && (
        <Confirm
          title="Remove this page"
          action={isSample ? 'Delete the sample' : 'Remove the page'}
          run={() => pages.remove(page)}
          onClose={() => setAsked(false)}
        >
          {isSample
            ? 'It is a sample of the parser: new versions are no longer tried on it.'
            : 'Opening it again costs credits.'}
        </Confirm>
      )}
    </>
  );
}

/** Which page is shown, and how. */
export function PageTools({ studio, page, side, onSide, isDressed, onDressed }: PageToolsProps) {
  const { record, pages, keepSample } = studio;
  return (
    <div className={panes.head}>
      <SegmentedControl data={choicesOf(SIDES)} value={side} onChange={onSide} className={panes.fixed} />
      <Select
        aria-label="Kept page"
        className="grow"
        data={[...pages.pages, ...pages.others].map(({ id, url }, index) => ({
          value: id,
          label: `${index + 1}  ${shortUrl(url ?? '') || 'pasted page'}`,
        }))}
        value={page.id}
        allowDeselect={false}
        onChange={(id) => id !== null && pages.select(id)}
      />
      <ActionIcon
        aria-label="The page’s own styles and images"
        aria-pressed={isDressed}
        title="The page’s own styles and images"
        variant={isDressed ? 'light' : 'subtle'}
        onClick={() => onDressed(!isDressed)}
      >
        <IconPalette size={15} />
      </ActionIcon>
      {record && (
        <ActionIcon
          aria-label="Keep this page as a sample"
          title="Keep this page as a sample: new versions are tried on it"
          onClick={() => keepSample.mutate(page)}
        >
          <IconTestPipe size={15} />
        </ActionIcon>
      )}
      <RemovePage pages={pages} page={page} />
    </div>
  );
}
