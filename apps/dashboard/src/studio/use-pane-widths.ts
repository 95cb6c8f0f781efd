import { useLocalStorage, useSplitter } from '@mantine/hooks';
import type { CSSProperties } from 'react';

/** Shares of the window: the page, the fields, the result. */
const SHARES = [43, 25, 32];
const MIN_SHARE = 15;

/** How wide the panes of the studio are: as they were dragged last in this browser. */
export function usePaneWidths() {
  const [shares, setShares] = useLocalStorage({
    key: 'gleaner-studio-panes',
    defaultValue: SHARES,
    getInitialValueInEffect: false,
  });
  const { ref, getHandleProps } = useSplitter<HTMLDivElement>({
    panels: SHARES.map((defaultSize) => ({ defaultSize, min: MIN_SHARE })),
    sizes: shares,
    // Bare numbers come back as such.
    onSizeChange: (sizes) => setShares(sizes.map(Number)),
  });
  const [page = 1, fields = 1, result = 1] = shares;
  return {
    ref,
    style: { '--page': `${page}fr`, '--fields': `${fields}fr`, '--result': `${result}fr` } as CSSProperties,
    handle: (index: number) => getHandleProps({ index }),
  };
}
