import { useEffect } from 'react';

/** Names the browser's tab, which asks before it closes while there are unsaved changes. */
export function useTab(name: string, isUnsaved: boolean): void {
  useEffect(() => {
    document.title = `${name} · Gleaner`;
  }, [name]);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUnsaved]);
}
