import { call } from '../api/call.ts';
import { makeTogether } from '../api/make-together.ts';
import {
  WATCH_DATABASE,
  watchAlert,
  watchCron,
  watchName,
  watchSchema,
  watchTable,
  type WatchDraft,
} from './watch-draft.ts';

/** The managed database of all watched pages. */
async function findDatabase(): Promise<string> {
  const { databases } = await call('listDatabases', { query: { search: WATCH_DATABASE.slug, limit: 100 } });
  const found = databases.find(({ slug, kind }) => slug === WATCH_DATABASE.slug && kind === 'managed');
  return found?.id ?? (await call('createDatabase', { body: { ...WATCH_DATABASE, kind: 'managed' } })).id;
}

/**
 * Makes what watches a page: parser, cron with a table that keeps its changes, and alert, and reads the page once. When a step is
 * refused, what was made before is deleted. @returns the cron
 */
export function makeWatch(draft: WatchDraft): Promise<string> {
  return makeTogether(async (undo) => {
    const schema = watchSchema(draft.selector);
    const { id: parserId } = await call('createParser', { body: { name: watchName(draft), schema } });
    undo(() => call('deleteParser', { params: { id: parserId } }));
    const database = await findDatabase();
    const table = watchTable(draft.url, parserId.slice(-6));
    const cron = await call('createCron', { body: watchCron(draft, { parserId, database, table }) });
    if (!('id' in cron)) throw new Error('the cron was not made');
    undo(() => call('deleteCron', { params: { id: cron.id } }));
    if (draft.target !== undefined) {
      const { id } = await call('createAlert', { body: watchAlert(draft, draft.target, table) });
      undo(() => call('deleteAlert', { params: { id } }));
    }
    await call('triggerCron', { params: { id: cron.id } });
    return cron.id;
  });
}
