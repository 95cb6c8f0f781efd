import { CHANGE_KINDS } from '@gleaner/contracts/values';
import type { CallInput } from '../api/call.ts';
import { toOf, type AlertTarget } from '../account/alert-target.tsx';
import { shortHost, shortUrl } from '../format/format.ts';

/** How often a page is read. */
export const OFTEN = {
  '*/15 * * * *': 'Every 15 minutes',
  '0 * * * *': 'Every hour',
  '0 */6 * * *': 'Every 6 hours',
  '0 8 * * *': 'Every day at 8:00',
  '0 8 * * MON': 'Every Monday at 8:00',
} as const;
export type Often = keyof typeof OFTEN;

/** What the form of a watched page holds. */
export interface WatchDraft {
  url: string;
  /** The selector of one value; empty: the page's whole text. */
  selector: string;
  often: Often;
  zone: string;
  /** Undefined: nobody is told. */
  target: AlertTarget | undefined;
}

const FIELD = 'watched';
export const WATCH_DATABASE = { name: 'Watched pages', slug: 'watched' } as const;

export function watchName({ url, selector }: Pick<WatchDraft, 'url' | 'selector'>): string {
  return `Watch ${shortUrl(url)}${selector.trim() === '' ? '' : ` (${selector.trim()})`}`.slice(0, 100);
}

/** A table of its own, so that an alert names it. @param own letters and digits that no other watch has */
export function watchTable(url: string, own: string): string {
  const host = shortHost(url)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
  return `watch_${host.slice(0, 40)}_${own}`;
}

export function watchSchema(selector: string): {
  fields: CallInput<'previewParser'>['body']['schema']['fields'];
} {
  const css = selector.trim();
  return { fields: { [FIELD]: css === '' ? { page: 'markdown' } : { css, required: true } } };
}

/** What is seen of a page now. */
export function watchedValue(data: unknown): string {
  const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, FIELD) : undefined;
  return typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : JSON.stringify(value);
}

interface Made {
  parserId: string;
  database: string;
  table: string;
}

export function watchCron(
  draft: WatchDraft,
  { parserId, database, table }: Made,
): CallInput<'createCron'>['body'] {
  return {
    name: watchName(draft),
    description: '',
    schedule: draft.often,
    timezone: draft.zone,
    target: { type: 'parser', parserId },
    inputs: [draft.url],
    sink: { mode: 'database', database, table, key: ['_url'], history: true },
  };
}

/** Tells of another value, not of the first one. */
export function watchAlert(
  draft: WatchDraft,
  target: AlertTarget,
  table: string,
): CallInput<'createAlert'>['body'] {
  return {
    name: watchName(draft),
    events: ['rows.changed'],
    filter: { failed: true, table, kinds: CHANGE_KINDS.filter((kind) => kind !== 'new') },
    to: toOf(target),
  };
}
