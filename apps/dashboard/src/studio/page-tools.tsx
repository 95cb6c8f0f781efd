import { ActionIcon, SegmentedControl, Select } from '@mantine/core';
import { IconPalette, IconTestPipe, IconTrash } from '../parts/icons.ts';
import type { KeptPage } from './extraction/protocol.ts';
import { pageLabel } from './pages/page-name.ts';
import styles from './studio.module.css';
import type { PagesState } from './use-studio.ts';

export interface PageToolsProps {
  pages: PagesState;
  /** The page that is shown. */
  page: KeptPage;
  side: 'page' | 'data';
  onSide: (side: 'page' | 'data') => void;
  /** Absent for a parser that isn't saved yet. */
  onKeepSample: ((page: KeptPage) => void) | undefined;
  isDressed: boolean;
  onDressed: (isDressed: boolean) => void;
}

/** Which page is shown, and how. */
export function PageTools(props: PageToolsProps) {
  const { pages, page, side, onSide, onKeepSample, isDressed, onDressed } = props;
  return (
    <div className={styles.head}>
      <SegmentedControl
        data={[
          { value: 'page', label: 'Page' },
          { value: 'data', label: 'Page data' },
        ]}
        value={side}
        onChange={(value) => onSide(value === 'data' ? 'data' : 'page')}
      />
      <Select
        aria-label="Kept page"
        className="grow"
        data={pages.pages.map(({ id, url }, index) => ({ value: id, label: pageLabel(url, index) }))}
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
      {onKeepSample !== undefined && (
        <ActionIcon
          aria-label="Keep this page as a sample"
          title="Keep this page as a sample: new versions are tried on it"
          onClick={() => onKeepSample(page)}
        >
          <IconTestPipe size={15} />
        </ActionIcon>
      )}
      <ActionIcon aria-label="Remove this page" onClick={() => pages.remove(page.id)}>
        <IconTrash size={15} />
      </ActionIcon>
    </div>
  );
}
