import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { openKeysHelp } from './keys-help.tsx';
import { ACCOUNT, WORK } from './places.ts';

const GO_MS = 1000;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role="dialog"]') !== null)
  );
}

/** Keys that work on every page: `g` and a letter, `/`, `?`, and `j` or `k` to enter the table. */
export function useShortcuts(): void {
  const router = useRouter();
  useEffect(() => {
    let goUntil = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (event.key === 'g') {
        goUntil = Date.now() + GO_MS;
        return;
      }
      if (Date.now() < goUntil) {
        goUntil = 0;
        const place = [...WORK, ...ACCOUNT].find(({ key }) => key === event.key);
        if (place) {
          event.preventDefault();
          void router.navigate({ to: place.to });
          return;
        }
      }
      if (event.key === '?') openKeysHelp();
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('main [data-search], main [data-filters] input');
        if (field) {
          event.preventDefault();
          field.focus();
        }
      }
      if ((event.key === 'j' || event.key === 'k') && !event.defaultPrevented) {
        const isInTable =
          event.target instanceof HTMLElement && event.target.closest('[role="table"]') !== null;
        if (!isInTable) document.querySelector<HTMLElement>('main [data-table-rows] a')?.focus();
      }
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [router]);
}
