import { useMediaQuery } from '@mantine/hooks';

/** As in the style sheets. */
const NARROW = '(max-width: 820px)';

/** Whether the screen is a phone's. */
export function useNarrow(): boolean {
  return useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
}
