import type { InputSource } from '@gleaner/contracts/values';

/** Where the inputs of a run come from, as a form holds it. */
export interface SourceChoice {
  from: 'list' | InputSource;
  url: string;
  /** Whether a cron takes only what no earlier run of it has taken. */
  isNewOnly: boolean;
}

export const NO_SOURCE: SourceChoice = { from: 'list', url: '', isNewOnly: true };

interface SourceBody {
  source: { sitemap?: string; feed?: string };
  since?: 'last_run';
}

/** The choice of a record. */
export function choiceOfSource(source: SourceBody['source'] | null, since: string | null): SourceChoice {
  if (source === null) return NO_SOURCE;
  const { sitemap, feed } = source;
  return {
    from: sitemap === undefined ? 'feed' : 'sitemap',
    url: sitemap ?? feed ?? '',
    isNewOnly: since === 'last_run',
  };
}

/** `source` and `since` of a body; undefined for a list. @param isCron whether it may take only what is new */
export function sourceOfChoice(choice: SourceChoice, isCron: boolean): SourceBody | undefined {
  const { from, url, isNewOnly } = choice;
  if (from === 'list') return undefined;
  return { source: { [from]: url.trim() }, ...(isCron && isNewOnly ? { since: 'last_run' } : {}) };
}

/** What is missing, in words. */
export function lackOfSource({ from, url }: SourceChoice): string | undefined {
  if (from === 'list' || /^https?:\/\/\S/i.test(url.trim())) return undefined;
  return `Enter the address of the ${from}.`;
}
