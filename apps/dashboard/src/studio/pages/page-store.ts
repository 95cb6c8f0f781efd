import type { KeptPage } from '../extraction/protocol.ts';

/**
 * Pages that the studio keeps, in this browser (IndexedDB): an account can hold many, and they are only needed where
 * someone works with them. Keys begin with the account and the parser.
 */

const DATABASE = 'gleaner-studio';
const STORE = 'pages';

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('no IndexedDB')));
  });
}

async function within<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('not stored')));
    });
  } finally {
    database.close();
  }
}

function keyRange(owner: string): IDBKeyRange {
  return IDBKeyRange.bound(`${owner}/`, `${owner}0`, false, true);
}

/** @param owner `<account>/<parser>`; a parser that isn't saved yet is `new` */
export async function readPages(owner: string): Promise<KeptPage[]> {
  const pages = await within('readonly', (store) => store.getAll(keyRange(owner)) as IDBRequest<KeptPage[]>);
  return pages.sort((a, b) => a.fetchedAt.localeCompare(b.fetchedAt));
}

export async function storePage(owner: string, page: KeptPage): Promise<void> {
  await within('readwrite', (store) => store.put(page, `${owner}/${page.id}`));
}

export async function removePage(owner: string, pageId: string): Promise<void> {
  await within('readwrite', (store) => store.delete(`${owner}/${pageId}`));
}

/** A parser that was begun in this browser and isn't saved yet. */
export interface Unsaved {
  /** Its name in the address. */
  draft: string;
  pages: KeptPage[];
}

/** What the account has begun, the latest first. */
export async function readUnsavedPages(accountId: string): Promise<Unsaved[]> {
  const range = IDBKeyRange.bound(`${accountId}/new`, `${accountId}/new\uFFFF`);
  const keys = await within('readonly', (store) => store.getAllKeys(range) as IDBRequest<string[]>);
  const drafts = new Set(keys.map((key) => key.split('/')[1] ?? ''));
  const found = await Promise.all(
    [...drafts].map(async (draft) => ({ draft, pages: await readPages(`${accountId}/${draft}`) })),
  );
  const changedAt = ({ pages }: Unsaved): string => pages.at(-1)?.fetchedAt ?? '';
  return found.sort((a, b) => changedAt(b).localeCompare(changedAt(a)));
}

/** Deletes the pages of one owner. */
export async function removePages(owner: string): Promise<void> {
  await within('readwrite', (store) => store.delete(keyRange(owner)));
}

/** Gives the pages of one owner to another: those of a new parser, once it is saved. */
export async function movePages(from: string, to: string): Promise<void> {
  for (const page of await readPages(from)) await storePage(to, page);
  await removePages(from);
}

/** Deletes the pages at sign-out, so that the next person at this browser sees none. */
export function forgetPages(): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(DATABASE);
    for (const end of ['success', 'error', 'blocked'] as const)
      request.addEventListener(end, () => resolve());
  });
}
