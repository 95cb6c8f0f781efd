import { DRAFT_ID } from '../search.ts';
import type { Work } from './history.ts';

/**
 * Work that isn't saved yet. That of a new parser stays in this browser, where its pages are; changes of a saved parser
 * stay in the tab, so that two tabs don't overwrite each other.
 */

const PREFIX = 'work:';

export function createDraftId(): string {
  return `new_${crypto.randomUUID().slice(0, 8)}`;
}

function storeOf(key: string): Storage {
  return DRAFT_ID.test(key.split('/')[1] ?? '') ? localStorage : sessionStorage;
}

/**
 * The key of the work on a parser.
 * @param owner the account and the parser
 * @param version of a saved parser: work on a later one starts from what is saved
 */
export function workKeyOf(owner: string, version = 0): string {
  return `${owner}@${version}`;
}

/** @param key as `workKeyOf` makes it */
export function readUnsaved(key: string): Work | undefined {
  try {
    const text = storeOf(key).getItem(PREFIX + key);
    // Only this module writes there.
    return text === null ? undefined : (JSON.parse(text) as Work);
  } catch {
    return undefined;
  }
}

export function keepUnsaved(key: string, work: Work | undefined): void {
  try {
    if (work === undefined) storeOf(key).removeItem(PREFIX + key);
    else storeOf(key).setItem(PREFIX + key, JSON.stringify(work));
  } catch {
    // A full store costs the work only when the page is left, of which the browser warns.
  }
}

/** Forgets all of it: at sign-out. */
export function forgetUnsaved(): void {
  for (const store of [localStorage, sessionStorage])
    for (const key of Object.keys(store)) if (key.startsWith(PREFIX)) store.removeItem(key);
}
